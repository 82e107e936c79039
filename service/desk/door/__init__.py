"""Who comes in: signing in by password, code or passkey, a person's own account, and the people of the site.

Door: the `router` of each module. Parts: `sign_in` and `passkeys` open a session, `account` is the page of a
signed-in person, `people` says who may sign in and with which role.
"""
