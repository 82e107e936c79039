"""Who comes in: signing in by password, a person's own account, and the people of the site.

Door: the `router` of each module. Parts: `sign_in` opens a session, `account` is the page of a signed-in
person, `people` decides who may sign in and with which role.
"""
