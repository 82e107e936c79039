"""The words by which mail servers, vacation programs and challenges are known, in the languages of players.

Sources: the test data of flufl.bounce 6.0.0 and of Sisimai; the language packs of Exchange and Outlook; the
manuals of qmail, Exim, Postfix and Sendmail.
"""

from __future__ import annotations

import re


def _any_of(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


# "Re: Delivery Status Notification" is a person who answers a notice or forwards it.
REPLY_OR_FORWARD = _any_of(r"^\s*(?:re|aw|wg|fw|fwd|sv|vs|tr|rif|antw|odp|i)\s*(?:\[\d+\])?\s*:")

RETURNED = _any_of(
    r"undeliver(?:ed|able)", r"un-?deliverable", r"non-?delivery", r"nondeliverable",
    r"returned (?:e-?)?mail", r"return(?:ed|ing) (?:message )?to (?:the )?sender",
    r"(?:failure|error) (?:notice|delivery)", r"mail error",
    r"(?:mail|message)\b.{0,40}\b(?:could|can) ?not be deliver",
    r"deliver(?:y|ing)\b.{0,30}"
    r"\b(?:fail|warning|problem|error|delay|report|notification|status|impossible|incomplete)",
    r"(?:fail|problem|error|unable)\w*\b.{0,30}\bdeliver", r"^(?:ndn|ndr|dsn|nondelivery)\b",
    r"(?:mail|message)\b.{0,20}\bdelay", r"delayed (?:mail|message)", r"message not delivered",
    r"not delivered", r"(?:mail|message) (?:system|server) (?:error|problem)",
    r"message status - undeliverable", r"failed mail", r"mail (?:status )?report",
    r"rejected (?:mail|message)", r"message (?:was )?rejected",
    # German.
    r"unzustellbar", r"nicht zugestellt", r"zustell\w*\b.{0,40}\b(?:fehl|versp|verz|nicht)",
    r"zustellungsstatus", r"übermittlungsstatus", r"übermittlungsfehler", r"rückläufer",
    r"nicht zustellbar", r"verzögerte zustellung",
    # French.
    r"non remis", r"remise\b.{0,30}\b(?:échou|echou|impossible|retard|état|etat)",
    r"échec\b.{0,20}\bremise", r"état de remise", r"etat de remise", r"non distribu", r"non délivr",
    r"non delivr", r"retour de courrier",
    # Spanish, Portuguese, Italian.
    r"no se pudo entregar", r"no se puede entregar", r"no entregad", r"estado de (?:la )?entrega",
    r"não entregue", r"não foi possível entregar", r"falha na entrega", r"não é possível entregar",
    r"mancata consegna", r"mancato recapito", r"non recapit", r"impossibile recapitare",
    r"stato del recapito", r"entrega\b.{0,20}\bfall",
    # Dutch, Scandinavian, Polish, Czech, Russian.
    r"onbestelbaar", r"niet bezorgd", r"kan niet worden bezorgd", r"olevererbar", r"kan ikke leveres",
    r"gick inte att leverera", r"niedostarczon", r"nie (?:można|udało się) dostarczyć", r"nedoručiteln",
    r"недостав", r"не удалось доставить", r"не доставлено", r"статус доставки",
    # Japanese, Chinese, Korean.
    r"配信不能", r"配信できません", r"配信に?失敗", r"配信エラー", r"メールエラー", r"送信できません",
    r"送信失敗", r"未配信", r"配達不能", r"配信(?:状態|状況|が?遅延)", r"退信", r"退件",
    r"無法(?:傳遞|投遞|遞送|送達)", r"无法(?:传递|投递|送达)", r"(?:投递|投遞|发送|發送|送达|传递)失[败敗]",
    r"未(?:送达|送達|传递|傳遞|投递)", r"传递状态", r"傳遞狀態", r"배달(?:되지|할 수| 실패|\s*상태)",
    r"전송(?:되지|할 수| 실패)", r"반송",
)
"""A subject by which a server returns a mail or warns of a delay."""

DELAYED = _any_of(
    r"\bdelayed\b", r"\(delay\)", r"warning\b.{0,60}\b(?:not|still|delay)", r"still being retried",
    r"not (?:yet )?been delivered (?:yet|so far)?", r"has not yet been",
    r"will (?:continue|keep) (?:to )?(?:try|retry)", r"will be re-?(?:tried|attempted)", r"warning only",
    r"delivery attempts will continue", r"you do not need to resend", r"verzöger", r"verspät",
    r"noch nicht zugestellt", r"retardé", r"retard", r"demorad", r"retrasad", r"ritardat", r"vertraagd",
    r"försen", r"forsink", r"opóźnion", r"задерж", r"отложен", r"遅延", r"遅れ", r"延迟", r"延遲", r"지연",
)
"""A server that keeps trying."""

GIVEN_UP = _any_of(
    r"permanent", r"given up", r"giving up", r"not going to try again", r"\b5\.\d{1,3}\.\d{1,3}\b",
    r"\b55[0-4]\b", r"could not be delivered", r"expired", r"too long in", r"in the queue too long",
)
"""A server that has ended its tries, whatever it says of earlier warnings."""

AUTOMATIC_ANSWER = _any_of(
    r"^\W*auto(?:matic|mated)?[- ]?(?:reply|answer|respon\w*)\b\W*(?::|$|from\b|to\b)",
    r"^\W*auto-?(?:reply|response|responder|answer)\b", r"^\W*yahoo! auto response",
    r"^\W*auto: .{1,80}\bout of (?:the )?office\b",
    r"^\W*out[- ]of[- ](?:the[- ])?office\b\W*(?::|$|re\b|auto|reply)", r"^\W*ooo\s*:",
    r"^\W*(?:i am |i'm )?(?:away|on (?:vacation|holiday|leave))\b\W*(?::|$|re:|from my mail)",
    r"^\W*vacation (?:reply|response|message|notice|auto)",
    r"^\W*(?:absence|away) (?:message|notice|notification)",
    # German, French.
    r"^\W*abwesenheits(?:notiz|nachricht|meldung|benachrichtigung|assistent)",
    r"^\W*automatische (?:antwort|rückantwort)",
    r"^\W*(?:abwesend|nicht im (?:büro|hause?)|abwesenheit|urlaub)\s*(?::|$)", r"^\W*réponse automatique",
    r"^\W*reponse automatique", r"^\W*message d.absence", r"^\W*absen(?:ce|t)(?: du bureau)?\s*(?::|$)",
    # Spanish, Portuguese, Italian, Dutch.
    r"^\W*respuesta autom[aá]tica", r"^\W*fuera de la oficina", r"^\W*resposta autom[aá]tica",
    r"^\W*fora do escrit[oó]rio", r"^\W*risposta automatica", r"^\W*fuori sede",
    r"^\W*automatisch antwoord", r"^\W*afwezigheid",
    # Scandinavian, Finnish, Polish, Czech, Hungarian, Russian, Turkish.
    r"^\W*automatis[kt]+ sv[aå]r", r"^\W*autosvar", r"^\W*automaattinen vastaus", r"^\W*autoreply",
    r"^\W*odpowiedź automatyczna", r"^\W*automatyczna odpowiedź", r"^\W*automatická odpověď",
    r"^\W*automatikus válasz", r"^\W*автоответ", r"^\W*автоматический ответ", r"^\W*otomatik yanıt",
    # Japanese, Chinese, Korean.
    r"^\W*自動(?:応答|返信)", r"^\W*不在(?:通知|のお知らせ|届)", r"^\W*自动(?:回复|答复)",
    r"^\W*自動(?:回覆|答覆)", r"^\W*자동 ?(?:회신|응답)",
)
"""The subject of a vacation answer. A person's subject only seldom begins so."""

CHALLENGE = _any_of(
    r"verify#[0-9a-f]{8,}", r"\[spamarrest\]", r"requires verification",
    r"please confirm your (?:e-?mail|message)",
    r"confirm(?:ation)? (?:your|required for|needed for) (?:delivery|message|e-?mail)",
    r"challenge[-/ ]response", r"^re: .* \(verification\)$",
    r"sender (?:address )?verification (?:required|needed|request)", r"antispam uol",
)
"""The subject of a program that asks the sender to prove himself."""
