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
    may. `doubts`: folded words that make an order a condition, a choice or a denial. `plain`: folded words of
    remarks that change no order (`grammar.plain_remarks`).
    """

    name: str
    title: str
    unit_words: Mapping[str, Mapping[str, bool]]
    coasts: Mapping[str, str] = field(default_factory=dict)
    articles: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()


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
                "nicht", "nie", "niemals", "kein", "keine", "keinen", "wenn", "falls", "sofern",
                "oder", "entweder", "weder", "noch", "sonst", "andernfalls", "außer", "ausser", "ohne",
                "vielleicht", "sollte", "konnte", "statt", "anstatt", "nur", "bevor", "nachdem", "bis",
                "ungultig", "streiche", "eventuell", "evtl", "ggf", "gegebenenfalls", "moglichst",
                "moglicherweise", "moeglichst", "wahlweise", "alternativ", "ob", "aber", "sondern",
                "lieber", "anstelle", "solange", "sobald", "wahrend", "waehrend", "wurde", "wuerde",
                "koennte", "durfte", "duerfte", "ignoriere", "ignorieren", "vergiss", "gilt",
                "bevorzugt", "liebsten", "wahl", "vorlaufig", "vorlaeufig", "zuruckgezogen",
                "zurueckgezogen", "gestrichen", "entwurf", "wahrscheinlich", "hoffentlich", "unsicher",
                "irrtum", "falsch", "abwarten", "notfalls", "bzw", "beziehungsweise", "geloscht",
                "geloescht", "hinfallig", "ersetzt", "bestatigen", "bestaetigen", "bestatigt",
                "bestaetigt", "unbestatigt", "vermutlich", "voraussichtlich", "unverbindlich",
                "provisorisch", "vorbehalt", "vorbehaltlich", "unentschieden", "unklar", "offen",
                "storniert", "stornieren", "widerrufen", "verworfen", "durchgestrichen", "uberholt",
                "ueberholt", "veraltet", "versehen", "fehler", "mochte", "moechte", "egal", "beliebig",
                "nachdem", "vorausgesetzt", "angenommen", "keinesfalls", "keineswegs", "ersatzweise",
                "hilfsweise", "vorzugsweise", "idealerweise", "warten", "warte", "anderenfalls", "je",
                "abhangig", "abhaengig")),
            frozenset((
                "schneidet", "schneiden", "jede", "jeden", "alle", "wie", "vereinbart", "besprochen",
                "abgesprochen", "versprochen", "geschrieben", "danke", "viel", "gluck", "glueck",
                "patt", "blockt", "stoppt", "gegen", "fur", "fuer", "von", "mit", "und", "ich", "wir",
                "du", "ihr", "er", "ihn", "mein", "meine", "dein", "deine", "sein", "seine", "ist",
                "sind", "wird", "angriff", "klappt", "hier", "neu", "zum", "zur", "in", "im", "an",
                "zu", "lang", "lebe", "es", "konig", "koenig", "freund", "rache", "leid", "tut", "mir",
                "entschuldigung", "dies", "diese", "damit", "die", "der", "das", "den", "dem")),
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
                "ne", "nest", "pas", "non", "jamais", "aucun", "aucune", "si", "sil", "sils", "sauf",
                "sinon", "ou", "soit", "ni", "sans", "peut", "peutetre", "plutot", "mais", "avant",
                "apres", "quand", "lorsque", "tant", "annule", "annuler", "seulement",
                "eventuellement", "moins", "lieu", "cas", "pourvu", "excepte", "hormis", "rien",
                "ignorer", "ignorez", "oublier", "oubliez", "serait", "devrait", "pourrait",
                "faudrait", "alternativement", "preference", "prefere", "provisoire", "provisoirement",
                "annulee", "annules", "choix", "brouillon", "probablement", "probable", "espere",
                "incertain", "erreur", "faux", "attendre", "defaut", "condition", "raye", "remplace",
                "idealement", "confirmer", "confirme", "confirmee", "hypothese", "selon", "depend",
                "dependant", "autrement", "reserve", "conditionnel", "option", "optionnel",
                "optionnelle", "alternative", "secours", "abandonne", "abandonner", "barre", "barree",
                "efface", "nul", "nulle", "caduc", "obsolete", "hesite", "doute", "incertaine",
                "indecis", "possible", "possiblement", "temporaire", "vraisemblablement", "esperons",
                "attends", "ignore", "oublie", "nullement", "aucunement", "surtout", "indifferemment",
                "nimporte", "preferable", "preferablement", "souhaite", "voudrait", "voudrais",
                "aimerait", "aimerais", "irait", "attente", "supposant", "verifier", "decider")),
            frozenset((
                "coupe", "couper", "tout", "tous", "toute", "comme", "convenu", "promis", "discute",
                "ecrit", "merci", "bonne", "chance", "bloque", "bloquer", "arrete", "arreter",
                "contre", "pour", "de", "du", "des", "par", "avec", "et", "je", "nous", "tu", "vous",
                "il", "lui", "mon", "ton", "son", "ma", "ta", "sa", "est", "sont", "va", "attaque",
                "reussit", "vive", "roi", "ami", "amis", "desole", "desolee", "pardon", "au", "en",
                "dans", "ici", "encore", "ce", "cela", "ceci", "qui", "d", "le", "la", "les", "l",
                "un", "une")),
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
