// Charts as files: SVG with the colours it has here, PNG at twice its size, CSV of the data behind it.

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order", "opacity", "font-family", "font-size", "font-weight"];

/** kind: SVG, PNG or CSV; rows(): cells of the data, the names first. */
export async function save(kind, title, { svg, rows }) {
  const name = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.${kind.toLowerCase()}`;
  if (kind === "CSV") return hand(name, new Blob([rows().map((row) => row.map(quoted).join(",")).join("\r\n"), "\r\n"], { type: "text/csv" }));
  const text = drawing(svg);
  if (kind === "SVG") return hand(name, new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toBlob((blob) => hand(name, blob));
}

function hand(name, blob) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A cell; a text that a spreadsheet would take for a formula begins with an apostrophe. */
function quoted(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && /^[=+@\t\r-]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The drawing as a file of its own, whose styles are attributes. */
function drawing(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((node, index) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) to[index].setAttribute(name, style.getPropertyValue(name));
    to[index].removeAttribute("class");
  });
  copy.querySelectorAll("[data-gone]").forEach((node) => node.remove());
  const ground = document.createElementNS(copy.namespaceURI, "rect");
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", getComputedStyle(svg.closest("figure")).backgroundColor]]) ground.setAttribute(name, value);
  copy.prepend(ground);
  copy.setAttribute("xmlns", copy.namespaceURI);
  return new XMLSerializer().serializeToString(copy);
}
