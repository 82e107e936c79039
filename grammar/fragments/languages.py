"""Order words of other languages than English, which a game may switch on (WRD-07).

A language is a fragment beside the English ones (`fragments/german.lark`), its words for units and coasts,
and its words of doubt. Names of places stay the board's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grammar.words import DOUBT_WORDS


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language. `name` is that of its fragment; `title` is what a person calls it.

    `unit_words`: by the English name of a unit kind in lower case, its words, True for a plural. `coasts`:
    its names of coasts, with the English ones in lower case. `articles`: folded words that stand where "the"
    may. `doubts`: folded words that make an order a condition, a choice or a denial.
    """

    name: str
    title: str
    unit_words: Mapping[str, Mapping[str, bool]]
    coasts: Mapping[str, str] = field(default_factory=dict)
    articles: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()


LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        Language(
            "german", "German",
            {
                "army": {"Armee": False, "Armeen": True, "Heer": False},
                "fleet": {"Flotte": False, "Flotten": True},
                "mercenary": {"Söldner": False},
                "king": {"König": False, "Königin": False},
            },
            {"Nordküste": "north coast", "Südküste": "south coast", "Ostküste": "east coast",
             "Westküste": "west coast", "NK": "north coast", "SK": "south coast", "OK": "east coast",
             "WK": "west coast"},
            frozenset(("die", "der", "das", "den", "dem")),
            frozenset((
                "nicht", "nie", "niemals", "kein", "keine", "keinen", "wenn", "falls", "sofern", "oder",
                "entweder", "weder", "noch", "sonst", "andernfalls", "außer", "ausser", "ohne", "vielleicht",
                "sollte", "konnte", "statt", "anstatt", "nur", "bevor", "nachdem", "bis", "ungultig",
                "streiche", "eventuell", "evtl", "ggf", "gegebenenfalls", "moglichst", "moglicherweise",
                "moeglichst", "wahlweise", "alternativ", "ob", "aber", "sondern", "lieber", "anstelle",
                "solange", "sobald", "wahrend", "waehrend", "wurde", "wuerde", "koennte", "durfte", "duerfte",
                "ignoriere", "ignorieren", "vergiss", "gilt", "bevorzugt", "liebsten", "wahl", "vorlaufig",
                "vorlaeufig", "zuruckgezogen", "zurueckgezogen", "gestrichen", "entwurf", "wahrscheinlich",
                "hoffentlich", "unsicher", "irrtum", "falsch", "abwarten", "notfalls", "bzw",
                "beziehungsweise", "geloscht", "geloescht", "hinfallig", "ersetzt")),
        ),
        Language(
            "french", "French",
            {
                "army": {"armée": False, "armées": True, "l'armée": False},
                "fleet": {"flotte": False, "flottes": True, "la flotte": False},
                "mercenary": {"mercenaires": True, "mercenaire": False},
                "king": {"roi": False, "reine": False},
            },
            {"côte nord": "north coast", "côte sud": "south coast", "côte est": "east coast",
             "côte ouest": "west coast", "CN": "north coast", "CS": "south coast", "CE": "east coast",
             "CO": "west coast"},
            frozenset(("la", "le", "les", "l")),
            frozenset((
                "ne", "nest", "pas", "non", "jamais", "aucun", "aucune", "si", "sil", "sils", "sauf", "sinon",
                "ou", "soit", "ni", "sans", "peut", "peutetre", "plutot", "mais", "avant", "apres", "quand",
                "lorsque", "tant", "annule", "annuler", "seulement", "eventuellement", "moins", "lieu", "cas",
                "pourvu", "excepte", "hormis", "rien", "ignorer", "ignorez", "oublier", "oubliez", "serait",
                "devrait", "pourrait", "faudrait", "alternativement", "preference", "prefere", "provisoire",
                "provisoirement", "annulee", "annules", "choix", "brouillon", "probablement", "probable",
                "espere", "incertain", "erreur", "faux", "attendre", "defaut", "condition", "raye",
                "remplace", "idealement")),
        ),
    )
}
"""The languages there are, by name."""


def doubt_words(languages: Sequence[Language]) -> frozenset[str]:
    """The words that make a line a condition, a choice or a denial: in English and in these languages."""
    return DOUBT_WORDS.union(*(language.doubts for language in languages))


def languages_named(names: Sequence[str]) -> tuple[Language, ...]:
    """The languages of these names. Raises KeyError for another one, our own fault: options are checked when
    they are set."""
    return tuple(LANGUAGES[name] for name in names)
