"""German order words, with umlauts as two letters and without them."""

from __future__ import annotations

from collections.abc import Iterable

from grammar.fragments.language import Language, by_terminal, phrases

_UMLAUTS = {"ä": ("a", "ae"), "ö": ("o", "oe"), "ü": ("u", "ue")}


def _spelled(text: str) -> str:
    """A text of words with each umlaut as one letter and as two; ß is ss where words are folded."""
    return " ".join(f"{_without_umlauts(word, 0)} {_without_umlauts(word, 1)}"
                    for word in text.replace("ß", "ss").split())


def _without_umlauts(word: str, spelling: int) -> str:
    """A word in one of the two spellings of `_UMLAUTS`: 0 or 1."""
    return "".join(_UMLAUTS[letter][spelling] if letter in _UMLAUTS else letter for letter in word)


def _verb(*stems: str) -> str:
    """Present tense of regular verbs: "halt" gives halt, halte, halten, haltet; "marschier" marschiert."""
    return " ".join(f"{stem}e {stem}en {stem}t {stem}" for stem in stems)


_GOES = _verb(
    "marschier", "segel", "rück", "wechsel", "verleg", "komm", "reis", "eil", "dampf", "steuer", "stoß",
    "dring", "flücht", "wander", "schick", "führ", "fahr", "lauf", "zieh", "geh", "begeb")
ORDER_WORDS = by_terminal({terminal: _spelled(text) for terminal, text in {
    "_GOES": f"""{_GOES} kehrt kehre kehren schlägt schlage entkommt entkomme entkommen fährt läuft stößt
        begibt bewegt bewege bewegen wechsle wandert flieht fliehe fliehen gehn ziehn vorrücken vorrückt
        vorgehen vordringen vorstoßen einrücken einmarschieren einziehen eindringen weiterziehen
        weitergehen losziehen losmarschieren auslaufen einlaufen ausrücken abziehen vorziehen übersetzen
        überwechseln hinüberziehen landen landet lande anlanden wechselt segle steuert steure verschieben
        verschiebe verschiebt""",
    "_LETS": "lass laß lasst lassen lasse laßt",
    "_SELF": "sich",
    "_FORTH": "durch vor ein aus weiter hinein herein hinüber herüber rüber los über fort ab",
    "_BACK_WORD": "zurück",
    "_ARROW": "nach auf gen richtung",
    "_INTO": "gegen in ins zu zum zur",
    "_DIRECTION": "richtung",
    "_MOVE_NOUN": """angriff zug marsch vormarsch vorstoß einmarsch übergang bewegung attacke vorrücken
        einrücken kurs weg fahrt überfahrt verlegung verschiebung offensive sturm überfall""",
    "_LAUNCHES": """nimmt nehme nehmen startet starte starten führt führe führen unternimmt unternehme
        unternehmen macht mache machen tritt trete treten setzt""",
    "_FOR": "zum zur",
    "_ATTACKS": f"""{_verb("attackier", "betret", "besetz", "erstürm", "stürm", "überfall")} erobert
        erobere erobern übernimmt übernehme übernehmen betritt überfällt angreifen einnehmen bekämpft""",
    "_GRABS": "greift greife greifen greif nimmt nehme nehmen",
    "_ON": "an ein",
    "_HOLDS": f"""{_verb("halt", "steh", "verharr", "bleib", "verbleib", "lieg")} hält stehn verteidigt
        verteidige verteidigen stehenbleiben ausharren ausharrt stationär ankert ankern stillhalten
        stillstehen standhalten dableiben""",
    "_GUARDS": "hält halt halte halten verteidigt verteidige verteidigen",
    "_POSITION": """stellung verteidigung defensive position posten platz stand still ort stelle
        stellungen positionen hafen rücken da dort hier stehen""",
    "_AT": "in im bei beim am an auf zum zur",
    "_ITS": "ihre ihren ihrem ihrer seine seinen seinem seiner meine meinen meinem meiner unsere unserem",
    "_SUPPORTS": f"""{_verb("unterstütz", "helf", "deck", "stütz", "schütz", "beschütz", "beschirm")}
        hilft unterst unterstütz beistehen mithelfen""",
    "_SUPPORT_NOUN": "unterstützung hilfe deckung beistand rückendeckung schutz support flankenschutz",
    "_HITHER": "nach in",
    "_FROM": "von aus",
    "_GIVES": f"""{_verb("leist", "biet", "gewähr", "geb")} gibt leistet bietet""",
    "_TO_WHOM": "für an von der den des",
    "_AS": "in zur als zum",
    "_CONVOYS": f"""{_verb("geleit", "beförder", "konvoyier", "konvoier", "konvoi", "konvoy", "convoy",
        "convoi", "begleit", "transportier", "verschiff", "schiff", "bring", "überführ")} geleitet
        begleitet übersetzt übersetze übersetzen befördere bringt eskortiert eskortiere eskortieren""",
    "_CONVOY_NOUN": """konvoi konvoy convoy geleit geleitzug transport überfahrt übersetzung seetransport
        flottengeleit""",
    "_SETS": "setzt setze setzen bringt bringe bringen führt fährt fahre",
    "_OVER": "über rüber hinüber",
    "_CARRIED": """konvoyiert konvoiert geleitet befördert transportiert gebracht übergesetzt verschifft
        begleitet überführt eskortiert übersetzen hinübergebracht rübergebracht""",
    "_IS": "wird werden",
    "_BE_MOVED": "verlegt verschoben bewegt geschickt",
    "_SHALL": "soll sollen muss müssen wird werden",
    "_HAS": "hat haben ist sind",
    "_OF": "von der des vom",
    "_WITH": "mit",
    "_BY": "durch von mit per über übers via auf im",
    "_SEAWAY": "see seeweg meer schiff wasser seewege wasserweg",
    "_TOWARD": "für an",
    "_WITHDRAWS": f"""{_verb("weich", "zieh", "geh", "flieh", "rett")} flüchtet flüchten zurückziehen
        zurückgehen zurückweichen ausweichen abziehen rückzieht rettet""",
    "_RETREAT_NOUN": "rückzug flucht rückmarsch abzug",
    "_DISBANDS": "auflösen entfernen vernichten auflöst aufgeben",
    "_DISBANDED": "aufgelöst entfernt vernichtet zerstört aufgerieben",
    "_SOLVES": "löst löse lösen",
    "_APART": "auf",
    "_DISBAND_NOUN": "auflösung",
    "_TAKE": "nehmen nimm nehme entfernen",
    "_BUILDS": f"""{_verb("bau", "rekrutier")} errichte errichtet errichten hebe aufbauen erstellen
        erstelle aufstellen ausheben errichte""",
    "_BUILD_NOUN": "bau aufbau neubau aufstellung neuaufbau zubau aufbauten neubauten bauten errichtung",
    "_BUILT": "gebaut aufgebaut errichtet aufgestellt ausgehoben erstellt",
    "_NEW": "neu neue neuer neues",
    "_REMOVES": f"""{_verb("entfern", "reduzier")} entfernt abbauen abzubauen auflösen abziehen""",
    "_BUILDS_UP": "baue baut bauen stelle stellt hebe",
    "_UP": "auf aus",
    "_DOWN": "ab",
    "_REMOVE_NOUN": "abbau entfernung auflösung rückbau reduzierung",
    "_REMOVED": "abgerüstet entfernt abgebaut aufgelöst reduziert",
    "_WAIVES": "bauverzicht aufbauverzicht verzicht verzichte verzichtet verzichten passe passen",
    "_NONE": "kein keinen keine keinerlei",
    "_NOTHING": "nichts",
}.items()})


def _reports(words: Iterable[str]) -> frozenset[str]:
    """Past tenses, which are mostly a present tense and an e ("unterstützte"), and wishes ("ginge")."""
    present = frozenset(words)
    past = {f"{word}{end}" for word in present if word.endswith("t") for end in ("e", "en")}
    other = _spelled("""
        zog zogen zöge ging gingen ginge hielt hielten hielte blieb blieben bliebe stand standen stünde half
        halfen hülfe griff griffen griffe fuhr fuhren kam kamen käme lief liefen liefe gab gäbe war waren wäre
        wären hatte hatten hätte hätten wurde wurden würde würden sollte sollten müsste könnte wollte wollen
        nahm nahmen nähme drang drangen stieß stießen wich wichen floh flohen brachte brachten brächte begab
        begaben betrat betraten überfiel überfielen lag lagen hob hoben trat traten bot boten trug trugen ließ
        ließen schlug schlugen entkam entkamen verblieb verblieben übernahm übernahmen schob schoben
        gehalten gezogen gegangen geblieben gestanden angegriffen marschiert gewesen""")
    return frozenset((past | set(other.split())) - present)


GERMAN = Language(
    "german", "German", ORDER_WORDS, ("en", "eln", "ern", "gehn", "ziehn", "stehn"),
    {
        "army": {"Armee": False, "Armeen": True, "Heer": False, "Heere": True},
        "fleet": {"Flotte": False, "Flotten": True},
        "mercenary": {"Söldner": False},
        "king": {"König": False, "Königin": False},
    },
    {"Nordküste": "north coast", "Südküste": "south coast", "Ostküste": "east coast",
     "Westküste": "west coast", "NK": "north coast", "SK": "south coast", "OK": "east coast",
     "WK": "west coast"},
    frozenset((
        "die", "der", "das", "den", "dem", "des", "eine", "einen", "einer", "ein")),
    courtesies=frozenset(("bitte", "weiterhin", "jetzt", "nun", "sofort", "beide")),
    doubts=frozenset((
        "nicht", "nich", "nie", "niemals", "kein", "keine", "keinen", "wenn", "falls", "sofern",
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
        "abhangig", "abhaengig", "unter", "hinter", "neben")),
    # What is done "with the support of" another is that other's support next to it, and no support by itself.
    doubt_phrases=phrases("mit", ("", "der", "voller", "ihrer", "seiner"), (
        "unterstutzung", "unterstuetzung", "hilfe", "deckung", "ruckendeckung", "beistand")),
    reports=_reports(word for words in ORDER_WORDS.values() for word in words),
    plain=frozenset((
        "schneidet", "schneiden", "jede", "jeden", "alle", "wie", "vereinbart", "besprochen",
        "abgesprochen", "versprochen", "geschrieben", "danke", "viel", "gluck", "glueck",
        "patt", "blockt", "stoppt", "gegen", "fur", "fuer", "von", "mit", "und", "ich", "wir",
        "du", "ihr", "er", "ihn", "mein", "meine", "dein", "deine", "sein", "seine", "ist",
        "sind", "wird", "angriff", "klappt", "hier", "neu", "zum", "zur", "in", "im", "an",
        "zu", "lang", "lebe", "es", "konig", "koenig", "freund", "rache", "leid", "tut", "mir",
        "entschuldigung", "dies", "diese", "damit", "die", "der", "das", "den", "dem")),
    examples=("Armee {a} hält", "Armee {a} nach {b}", "Flotte {c} unterstützt Armee {a} nach {b}",
              "Flotte {c} geleitet Armee {a} nach {b}"),
)
