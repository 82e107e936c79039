"""French order words, without their accents as the lines are compared."""

from __future__ import annotations

from collections.abc import Iterable

from grammar.fragments.language import Language, by_terminal, phrases


def _er(*stems: str) -> str:
    """Present, future, infinitive and order of regular verbs: "attaqu" gives attaque, attaquer, attaquera."""
    return " ".join(f"{stem}{end}" for stem in stems
                    for end in ("e", "es", "er", "ez", "ons", "ent", "era", "eront", "erai", "erons"))


def _re(*stems: str) -> str:
    """The same of verbs like défendre."""
    return " ".join(f"{stem}{end}" for stem in stems
                    for end in ("", "s", "re", "ez", "ons", "ent", "ra", "ront", "rai", "rons"))


_INFINITIVES = ("er", "ir", "re")
_IMPERFECT = ("ait", "ais", "aient", "ions", "iez")
"""Ends of the imperfect; after an infinitive those of the conditional."""
ORDER_WORDS = by_terminal({
    "_GOES": f"""{_er("avanc", "march", "deplac", "dirig", "port", "pass", "navigu", "boug", "mont",
        "progress", "fonc", "fil", "arriv", "retourn", "remont", "debarqu", "penetr", "rentr", "vogu",
        "cingl", "appareill", "entr", "envoi", "envoy", "transfer", "men", "amen", "pouss", "lanc",
        "approch", "glis", "rapproch", "achemin", "transport")} {_re("descend", "rend")} va vais vont
        aller allez allons ira iront irai aille aillent part pars partir partent partez partira sort sors
        sortir sortent vient viens venir viennent revient revenir court courir avancons deplacons
        dirigeons mouvement continue continuent poursuit enverra bougeons""",
    "_LETS": "fait laisse laissez laisser laissons faites faire faisons fais",
    "_SELF": "se sy",
    "_FORTH": "dessus",
    "_BACK_WORD": "arriere",
    "_ARROW": "vers a en dans au aux",
    "_INTO": "sur contre pour jusqua chez",
    "_UPON": "sur pour",
    "_DIRECTION": "direction",
    "_MOVE_NOUN": """attaque mouvement deplacement avance marche assaut offensive passage entree
        progression cap route voile direction invasion poussee percee debarquement traversee mer""",
    "_LAUNCHES": """lance lancer lancez mene mener effectue effectuer fait faire prend prendre prends met
        mettre fais mettez execute executer entame bat battre battent""",
    "_FOR": "pour a",
    "_ATTACKS": f"""{_er("attaqu", "occup", "gagn", "assaill")} envahit envahir envahis envahissent
        envahira rejoint rejoindre rejoins rejoignent rejoindra prend prendre prends prendra atteint
        atteindre investit investir conquiert conquerir assiege""",
    "_SEIZES": "sempare semparer sempareront semparent semparera mempare",
    "_HOLDS": f"""{_er("rest", "demeur", "stationn", "gard", "camp")} {_re("defend")} attend tient tiens
        tenir tiennent tenez tenons tiendra tiendront tiendrai tienne maintient maintiens maintenir
        maintiennent maintien maintiendra tenue defense statique immobile stationnaire""",
    "_GUARDS": f"""{_er("gard")} {_re("defend")} tient tiens tenir tiennent""",
    "_POSITION": """position positions place poste defense defensive defense terrain bon ferme port
        immobile ici mer province surplace""",
    "_AT": "a au en sur dans de du d",
    "_ITS": "son sa ses leur leurs mon ma",
    "_SUPPORTS": f"""{_er("support", "appui", "appuy", "aid", "assist", "couvr", "epaul", "second",
        "renforc")} soutient soutiens soutenir soutiennent soutenez soutenons soutiendra soutiendront
        soutiendrai couvrir sout protege proteger protegent protegera supp""",
    "_ADVERB": "offensivement defensivement offensif defensif",
    "_SUPPORT_NOUN": "soutien appui aide renfort support assistance",
    "_FROM": "de du d depuis",
    "_GIVES": f"""vient viennent venir {_er("donn", "apport", "pret", "accord", "assur", "fourni", "port",
        "offr")} offre fournit assure""",
    "_TO_WHOM": "a de du d au pour des",
    "_AS": "en a l",
    "_CONVOYS": f"""{_er("convoi", "convoy", "transport", "achemin", "emmen", "amen", "embarqu",
        "transfer", "transbord", "escort", "debarqu")} convoiera convoierai conduit conduire""",
    "_CONVOY_NOUN": "convoi convoiement transport acheminement escorte traversee",
    "_OVER": "traverser passer",
    "_CARRIED": """convoyee convoye transportee transporte acheminee achemine embarquee portee amenee
        emmenee transferee""",
    "_IS": "est sera sont seront",
    "_SHALL": "doit doivent va vont devra devront dois",
    "_OF": "de du d des",
    "_WITH": "avec",
    "_BY": "par via en avec sur",
    "_SEAWAY": "mer maritime bateau navire navires bateaux eau",
    "_WHO": "qui",
    "_TOWARD": "a pour au",
    "_WITHDRAWS": f"""{_er("recul", "retrait", "evacu", "retir", "repli", "rabat", "echapp", "refugi")}
        fuit fuir fuis fuient senfuit senfuir bat battre battent decroche""",
    "_RETREAT_NOUN": "retraite repli recul retrait fuite",
    "_DISBANDS": f"""{_er("dispers", "elimin", "supprim", "demobilis", "enlev", "licenci")} dissoudre
        dissout dissous dissolvez dissoudra detruire detruit disparait sacrifie saborde saborder""",
    "_DISBANDED": """dissoute dissous dissoutes eliminee elimine dispersee disperse detruite detruit
        demobilisee demobilise supprimee supprime retiree enlevee sacrifiee aneantie sabordee""",
    "_DISBAND_NOUN": "dissolution elimination dispersion destruction suppression",
    "_BUILDS": f"""mets met {_er("cre", "ajout", "recrut", "lev", "mobilis")} construire construit
        construis construisent construisez construisons construira construirai batir batit""",
    "_BUILD_NOUN": """construction constructions creation creations levee ajout ajouts recrutement
        mobilisation renfort renforts""",
    "_BUILT": "construite construit creee levee ajoutee mobilisee formee",
    "_NEW": "une un nouvelle nouvelles nouveau",
    "_REMOVES": f"""{_er("retir", "supprim", "enlev", "demobilis", "elimin", "dispers", "licenci",
        "desarm")} dissoudre dissous dissout detruire detruit""",
    "_REMOVE_NOUN": "dissolution elimination retrait suppression destruction demobilisation",
    "_REMOVED": """dissoute dissous eliminee supprimee retiree enlevee detruite demobilisee dispersee
        disparait""",
    "_WAIVES": """renonce renoncer renoncons mabstiens sabstient sabstenir abstention passe passer
        renonciation""",
    "_NONE": "aucune aucun",
    "_NOTHING": "rien",
})


def _reports(words: Iterable[str]) -> frozenset[str]:
    """Past tenses and wishes: "attaquait", "attaquerait"."""
    present = frozenset(words)
    past = {f"{word[:-3]}{end}" for word in present if word.endswith(("ons", "ent")) for end in _IMPERFECT}
    past |= {f"{word[:-2]}{end}" for word in present if word.endswith("er")
             for end in (*_IMPERFECT, "a", "ai", "as", "ames", "ates", "erent")}
    wishes = {f"{word[:-1]}{end}" for word in present if word.endswith("ra") for end in _IMPERFECT}
    wishes |= {f"{word.removesuffix('e')}{end}" for word in present if word.endswith(_INFINITIVES)
               for end in _IMPERFECT}
    other = """
        allait allaient irait iraient tenait tenaient tint tinrent tiendrait soutenait soutint
        soutinrent soutiendrait maintint defendait defendit rendait rendit descendit etait etaient fut
        furent avait ont eut aurait serait devait devrait tenu allee alle prenait prit prirent mit
        mirent fit firent vint vinrent revint partit sortit rejoignait rejoignit construisait
        construisit detruisait detruisit conduisait conduisit dissolvait voulait veut"""
    return frozenset((wishes | past | set(other.split())) - present)


FRENCH = Language(
    "french", "French", ORDER_WORDS, _INFINITIVES,
    {
        "army": {"armée": False, "armées": True, "l'armée": False},
        "fleet": {"flotte": False, "flottes": True, "la flotte": False},
        "mercenary": {"mercenaires": True, "mercenaire": False},
        "king": {"roi": False, "reine": False},
    },
    {"côte nord": "north coast", "côte sud": "south coast", "côte est": "east coast",
     "côte ouest": "west coast", "CN": "north coast", "CS": "south coast", "CE": "east coast",
     "CO": "west coast"},
    frozenset(("la", "le", "les", "l", "une", "un", "dune", "dun", "notre")),
    courtesies=frozenset(("droit", "directement", "svp", "stp", "toujours", "maintenant", "aussitot")),
    elisions=frozenset(("l", "d", "j", "jusqu", "qu")),
    doubts=frozenset((
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
    # What is done "with the support of" another is that other's support next to it, and no support by itself.
    doubt_phrases=phrases("avec", ("", "le", "l", "un", "son"), (
        "soutien", "appui", "aide", "lappui", "laide", "renfort", "support")),
    reports=_reports(word for words in ORDER_WORDS.values() for word in words),
    plain=frozenset((
        "coupe", "couper", "tout", "tous", "toute", "comme", "convenu", "promis", "discute",
        "ecrit", "merci", "bonne", "chance", "bloque", "bloquer", "arrete", "arreter",
        "contre", "pour", "de", "du", "des", "par", "avec", "et", "je", "nous", "tu", "vous",
        "il", "lui", "mon", "ton", "son", "ma", "ta", "sa", "est", "sont", "va", "attaque",
        "reussit", "vive", "roi", "ami", "amis", "desole", "desolee", "pardon", "au", "en",
        "dans", "ici", "encore", "ce", "cela", "ceci", "qui", "d", "le", "la", "les", "l",
        "un", "une")),
    examples=("Armée {a} tient", "Armée {a} va à {b}", "Flotte {c} soutient armée {a} vers {b}",
              "Flotte {c} convoie armée {a} vers {b}"),
)
