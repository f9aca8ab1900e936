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


def test_names_that_never_meet_share_a_short_one() -> None:
    functions = [f"function one{n}(given{n}) {{ return [given{n}]; }}" for n in range(60)]
    short = shorter("\n".join(functions))
    assert len(set(re.findall(r"function (\w+)", short))) == 60
    assert len(set(re.findall(r"\[(\w+)\]", short))) < 4


@pytest.mark.skipif(which("node") is None, reason="needs Node.js")
def test_what_the_whole_script_knows_shares_its_name_with_nothing() -> None:
    """In whatever form it is declared: alone, in a list, in a pattern, with or without a value."""
    names = [f"known{n}" for n in range(40)]
    patterns = ",".join(
        f"{{ own{n}, of: [more{n}] }} = {{ own{n}: {n}, of: [-{n}] }}" for n in range(9)
    )
    script = (
        f"let later, {','.join(f'{name} = {n}' for n, name in enumerate(names))};"
        f"const {patterns};"
        "for (const local of [1, 2]) later = local;"
        "const asked = (local, other = `${((last) => last)(later)}`) => local + other;"
        "async function waits(own) { for (const all of [own]) await all; return later; }"
        f"console.log({','.join(names)}, asked(1), asked(later));"
        f"console.log({','.join(f'own{n}, more{n}' for n in range(9))});"
        "waits(1).then((own) => console.log(own));"
    )
    said = [
        run(["node", "-e", text], capture_output=True, text=True, check=True).stdout
        for text in (script, shorter(script))
    ]
    assert said[0] == said[1] != ""


def test_a_name_changes_wherever_it_is_meant() -> None:
    script = "const go={to};to(go.to,{to:1,at:to},`to ${to}`)"
    assert renamed(script, {"to": "x"}) == "const go={to:x};x(go.to,{to:1,at:x},`to ${x}`)"


def test_what_is_no_script_is_told() -> None:
    with pytest.raises(ValueError, match="no script"):
        shorter('const text = "open')
