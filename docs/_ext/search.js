/* The command of that name comes first; single options, the REST API and evidence last. */
var asked = new URLSearchParams(location.search).get("q");
var Scorer = {
  score: ([page, , anchor, , score]) => {
    if (page === `reference/commands/${asked}` && !anchor) return score + 100;
    const late = anchor.startsWith("#cmdoption") || /^(reference\/rest|evidence)\//.test(page);
    return score - (late ? 20 : 0);
  },
  // The defaults of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
