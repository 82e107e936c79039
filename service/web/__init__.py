"""Parts that every page of the desk and of the players needs: server, sessions, roles, templates, error
pages.

Door: `page.show` renders a page, `page.require_visitor` and `page.require_token` guard it. Parts: `ports`
(what pages need from the rest of the service), `page` (templates, headers, guards), `sessions` (passwords,
sign-ins, form tokens), `access` (who may use which page), `acting` (performs an act for a page), `kept_form`
(a form that survives a sign-in), `error_pages`, `crops` (pictures of lines and pages), `wording` (times,
sizes and reasons in words), `server` (uvicorn in a thread). It does not import `service.desk` or
`service.public`.
"""
