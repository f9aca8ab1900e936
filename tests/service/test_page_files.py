"""The files of the page as they are sent: joined, compact and kept by browsers."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from shutil import which
from subprocess import run

import pytest

from evolve.service.page_files import compact, packed
from tests.service import Service
from tests.service.test_web import WEB


def test_what_is_sent_has_no_comments_of_their_own_lines() -> None:
    text = 'a("//no", 1); // kept\n  // gone\n/** gone\n * too */\n\n  b("/*");\n'
    assert compact(text) == 'a("//no", 1); // kept\nb("/*");\n'


def test_browsers_get_one_script_and_keep_it(service: Service) -> None:
    url = f"http://127.0.0.1:{service.port}/app.js"
    got = service.client.get(url)
    assert "What that means" in got.text
    assert "How strong each generation's best is" in got.text
    assert re.findall(r'import\*as \S+ from"([^"]+)";', got.text) == ["./events-worker.js"]
    assert not re.search(r"\bexport\b|\bimport\(", got.text)
    assert got.headers["cache-control"] == "no-cache"
    assert (
        service.client.get(url, headers={"if-none-match": got.headers["etag"]}).status_code == 304
    )
    plain = service.client.get(url, headers={"accept-encoding": "identity"})
    assert plain.text == (WEB / "app.js").read_text(encoding="utf-8")


def test_all_style_sheets_are_joined() -> None:
    joined = gzip.decompress(packed(WEB / "page.css", WEB)[0]).decode()
    assert "@import" not in joined
    for path in WEB.rglob("*.css"):
        if path.name != "page.css":
            *_, last = re.findall(r"^([.a-z][^@{}\n]+) \{", path.read_text("utf-8"), re.MULTILINE)
            assert f"{last.replace(', ', ',')}{{" in joined, path


@pytest.mark.skipif(which("node") is None, reason="needs Node.js")
def test_modules_of_one_script_know_each_other(tmp_path: Path) -> None:
    """Whatever forms their imports and exports have, and whether they load each other later."""
    web = tmp_path / "web"
    (web / "pages").mkdir(parents=True)
    (web / "vendor").mkdir()
    (web / "vendor/v.js").write_text("const a=40,b=2;export{a as forty,b as two};")
    (web / "vendor/w.js").write_text(
        'import{forty as n}from"./v.js";export default function(){return n}'
    )
    (web / "a.js").write_text(
        'import v from "./vendor/w.js";\nimport { two as few } from "./vendor/v.js";\n'
        "const hidden = v() + few;\nexport const sum = () => hidden;\nconst text = 'two';\n"
        "export async function later(name) {\n"
        "  return (await import(`./pages/${name}.js`)).own;\n}\n"
        "export const told = ({ text, few: most = 1, ...rest }) => "
        "`${text} ${most} ${Object.keys(rest)}${text === `few` ? `: ${{ few }.few}` : ''}`;\n"
    )
    (web / "b.js").write_text(
        'import { sum as total, later, told } from "./a.js";\n'
        "const hidden = (text) => text.replace(/[/`'\"]/g, '') + 6 / 3 / 2;\n"
        "export { total, later };\n"
        "export function all(text) {\n  let count = 0;\n"
        "  for (const one of text) if (one) count++;\n"
        "  return { hidden: hidden(text), told: told({ text, count, few: count - -1 }) };\n}\n"
    )
    (web / "pages/p.js").write_text(
        'import { total } from "../b.js";\nconst hidden = total() + 1;\nexport { hidden as own };\n'
    )
    (web / "app.js").write_text(
        'import {\n  all,\n  later,\n  total,\n} from "./b.js";\n'
        'console.log(total(), await later("p"), await later("q").catch(() => "none"));\n'
        'console.log((await import("./c.js")).last);\n'
        'console.log(all("few"), all("a/b"));\n'
    )
    (web / "c.js").write_text('export const last = "the last";\n')
    (web / "app.mjs").write_bytes(gzip.decompress(packed(web / "app.js", web)[0]))
    (web / "package.json").write_text('{"type": "module"}')
    found = run(["node", web / "app.mjs"], capture_output=True, text=True, check=False)
    assert found.stderr == ""
    assert found.stdout.splitlines() == [
        "42 43 none",
        "the last",
        "{ hidden: 'few1', told: 'few 4 count: 2' } { hidden: 'ab1', told: 'a/b 4 count' }",
    ]
