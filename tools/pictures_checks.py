"""What is checked on each page of which a picture is made, and on each letter (DSK-06): it fits its screen,
axe finds nothing against accessibility in any colours that a reader's device asks for, and the key Tab comes
to every control, which then shows that it has the focus."""

from __future__ import annotations

from typing import Any

SCHEMES: tuple[dict[str, str], ...] = (
    {"color_scheme": "dark"}, {"contrast": "more"}, {"color_scheme": "dark", "contrast": "more"},
    {"forced_colors": "active"},
)
"""What a device may ask for beside light colours, as Playwright emulates it."""
_NONE_ASKED = {"color_scheme": "light", "contrast": "no-preference", "forced_colors": "none"}
# Elements whose content is cut off at the side. An input scrolls by itself; one pixel is rounding.
_CLIPPED = """() => [...document.querySelectorAll('main *, header *')].filter((element) => {
  const hides = ['hidden', 'clip'].includes(getComputedStyle(element).overflowX);
  return element.clientWidth && element.tagName !== 'INPUT' && hides
    && element.scrollWidth > element.clientWidth + 1;
}).map((element) => 'cut off: ' + element.tagName + '.' + element.className)"""
_WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
_UNFOLD = "() => document.querySelectorAll('details').forEach((each) => { each.open = true; })"
_SETTLED = "() => Promise.allSettled(document.getAnimations().map((each) => each.finished))"
# Marks each element that gets the focus, and whether it shows it.
_MARK_FOCUS = """() => { addEventListener('focusin', (event) => {
  const style = getComputedStyle(event.target);
  event.target.dataset.reached = style.outlineStyle === 'none' || !parseFloat(style.outlineWidth)
    ? 'unseen' : 'seen';
}, true); document.activeElement.blur(); }"""
_CONTROLS = """() => [...document.querySelectorAll(
  'a[href], button, input, select, textarea, summary')].filter((each) => !each.disabled
  && each.type !== 'hidden' && each.tabIndex >= 0 && each.checkVisibility())"""
# A group of radio buttons is one stop.
_UNREACHED = """() => (CONTROLS)().filter((each) => each.dataset.reached !== 'seen' && !(each.type === 'radio'
    && document.querySelector(`[type=radio][name="${each.name}"][data-reached=seen]`)))
  .map((each) => `${each.dataset.reached || 'not reached'} by Tab: ${each.tagName} `
    + (each.textContent.trim() || each.name).slice(0, 60))""".replace("CONTROLS", _CONTROLS)
# A page with more controls has many of one kind, such as the lines of a log.
_MOST_STOPS = 250


def fit_faults(page: Any) -> list[str]:
    """Sentences about what is wider than the screen or cut off."""
    excess = page.evaluate(_WIDER)
    return [*([f"{excess} px wider than the screen"] if excess > 0 else []), *page.evaluate(_CLIPPED)]


def access_faults(page: Any, *, every_scheme: bool) -> list[str]:
    """What axe finds with everything unfolded: by all its rules in light colours and, if `every_scheme`, by
    that of contrast in every other. Nothing if axe is not installed."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        return []
    page.evaluate(_UNFOLD)
    faults = [f"axe: {words}" for words in _violations(Axe(), page, {})]
    if every_scheme:
        for scheme in SCHEMES:
            page.emulate_media(**{**_NONE_ASKED, **scheme})
            # A button's background fades when the scheme changes, and between two colours has no contrast.
            page.evaluate(_SETTLED)
            only = {"runOnly": ["color-contrast"]}
            faults += [f"axe, {scheme}: {words}" for words in _violations(Axe(), page, only)]
        page.emulate_media(**_NONE_ASKED)
    return faults


def _violations(axe: Any, page: Any, options: dict[str, Any]) -> list[str]:
    response = axe.run(page, options={"resultTypes": ["violations"], **options}).response
    return [f"{rule['id']}: {[node['target'] for node in rule['nodes']][:5]}"
            for rule in response["violations"]]


def keyboard_faults(page: Any) -> list[str]:
    """The controls that Tab does not come to, or that do not show the focus."""
    page.evaluate(_MARK_FOCUS)
    stops = page.evaluate(f"() => ({_CONTROLS})().length")
    if stops > _MOST_STOPS:
        return []
    # Each part of a day or an hour is a stop.
    parts = page.locator("input[type=date], input[type=time]").count() * 5
    for _ in range(stops + parts + 5):
        page.keyboard.press("Tab")
    return list(page.evaluate(_UNREACHED))
