"""The routes of the feature and what else of it tests of the core must know."""

from __future__ import annotations

from service.features.uploads.door import UploadDoor
from service.features.uploads.links import EndUploadLinks, MailUploadLink, MakeUploadLink
from tests.support.table import ORDERS, Table


def _door(table: Table) -> UploadDoor:
    return UploadDoor(table.site.store, table.site.blobs, table.site.jobs, table.site.clock, ORDERS)


DOORS = {"uploads": _door}
# A page that takes sheets in and shows when they came; nothing that was read is on it.
ROUTES = {
    "/public/send/worker.js": ("get",), "/public/send/{secret}": ("get", "post"),
    **dict.fromkeys(("/public/send/{secret}/end", "/public/me/do/upload-link/{game_id}",
                     "/games/{game_id}/upload-link"), ("post",)),
}
WHO = {"/games/{game_id}/upload-link": {"coordinator of it"}}
WITHOUT_SESSION = dict.fromkeys(
    ("/public/send/{secret}", "/public/send/{secret}/end"), "the link is the secret")
REFUSED = {
    "MailUploadLink": MailUploadLink("powick-bridge", ("Montrose",), None, ""),
    "EndUploadLinks": EndUploadLinks("powick-bridge", ("Nobody",)),
    "MakeUploadLink": MakeUploadLink("powick-bridge", ("Nobody",)),
}
NEVER_REFUSED = {"EndUploadLink": "its holder has it open"}
IN_ENGLISH = {"features/uploads/links.py": "coordinators read it"}
