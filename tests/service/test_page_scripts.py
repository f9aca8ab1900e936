"""Scripts made shorter do the same."""

from __future__ import annotations

import re
from shutil import which
from subprocess import run

import pytest

from evolve.service.page_scripts import renamed, shorter

SCRIPT = """
const given = { first: 1, second: [2, 3] };
class Fault extends Error {
  constructor({ status, ...more }) {
    super(status);
    Object.assign(this, { status, more });
  }
}
/** A comment, with `signs` and "texts". */
function told({ first, second: [second, third] = [], other = first ? second : third }, ...rest) {
  const list = rest.map((one) => `<${one.toUpperCase()} ${"}"}>`);
  const text = `${first}: ${list.join(" ")} // no comment`;
  return text.replace(/[`"'/}]/g, "-") + [second, third, other, { third }].map(JSON.stringify);
}
let count = 0;
for (const name of ["first", "second"]) if (name in given) count++;
const sum = count + +count - -count / 2 / 1;
function alone() {
  console.log("alone");
}
try {
  null.nothing();
} catch {
  alone();
} finally {
  alone();
}
try {
  throw new Fault({ status: "gone", name: "x" });
} catch (fault) {
  console.log(told(given, "a", "b"), sum, fault.message, fault.more, fault?.status ?? "none");
}
"""


@pytest.mark.skipif(which("node") is None, reason="needs Node.js")
def test_a_shorter_script_does_the_same() -> None:
    short = shorter(SCRIPT)
    assert len(short) < 0.75 * len(SCRIPT)
    said = [
        run(["node", "-e", script], capture_output=True, text=True, check=True).stdout
        for script in (SCRIPT, short)
    ]
    assert said[0] == said[1] != ""


def test_what_others_read_keeps_its_name() -> None:
    short = shorter(
        "const list = { size: 1, other }; list.size = `size ${size}`; window.open(list);"
    )
    assert "window.open(" in short
    assert re.search(r"\{size:1,other:\w\}", short)
    assert re.search(r"\w\.size=`size \$\{\w\}`", short)
    assert "list" not in short


def test_a_name_changes_wherever_it_is_meant() -> None:
    script = "const go={to};to(go.to,{to:1,at:to},`to ${to}`)"
    assert renamed(script, {"to": "x"}) == "const go={to:x};x(go.to,{to:1,at:x},`to ${x}`)"


def test_what_is_no_script_is_told() -> None:
    with pytest.raises(ValueError, match="no script"):
        shorter('const text = "open')
