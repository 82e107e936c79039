"""Sheets by a page, for who cannot mail a picture (BEY-05): `pages` shows it and takes sheets in, `own_links`
gives players on a visit their links. The links themselves are in `service.notices.upload_links`; what comes
in is handed to `service.intake.uploads`, and nothing is opened or read here.
"""
