"""BEY-08: the war as a PDF is for everyone (PDF/UA-1, ISO 14289-1), and its lines show on every ground."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import maps
from service.facts.design import contrast
from service.features.replay.order_arrows import CASING_OPACITY, darkened, line_ink
from service.features.replay.war_plates import board_plate, key_svg
from service.pictures import A4, to_pdf
from service.pictures.board.base_map import SEA_TONE, TONES
from service.pictures.board.centre_marks import LAND_TONE
from service.pictures.board.map_sheet import TINT
from service.pictures.board.ornament import PALE
from service.pictures.board.town_lands import WASH
from tests.service.pictures.test_colours import BOARDS, GREY
from tests.support.pdf_ua import pdf_ua_faults, wrong_widths


def test_the_war_is_for_everyone() -> None:
    variant = maps.load("brittania")
    plates = [board_plate(variant, variant.start, "Powick Bridge", "Spring", A4), key_svg(variant)]
    data = to_pdf(plates, title="The war so far", descriptions=("The board in spring", "The key"))
    assert not pdf_ua_faults(data)
    assert not wrong_widths(data)


@pytest.mark.parametrize("slug", BOARDS)
def test_a_powers_lines_show_on_every_ground(slug: str) -> None:
    """WCAG 2.2, 1.4.11: 3 to 1, on the ground as it is painted, also where a casing covers it (BEY-01)."""
    variant = maps.load(slug)
    plain = {LAND_TONE, SEA_TONE, *TONES}
    grounds = plain | {_mixed(power.colour, TINT, LAND_TONE) for power in variant.powers.values()}
    grounds |= {_mixed(power.colour, WASH, tone) for power in variant.powers.values() for tone in TONES}
    cased = {_mixed(PALE, CASING_OPACITY, ground) for ground in grounds}
    for power in variant.powers:
        ink = line_ink(variant, power)
        worst = min(grounds | cased, key=lambda ground: _ratio(ink, ground))
        assert _ratio(ink, worst) >= 3.0, (power, ink, worst)
    colours = [power.colour for power in variant.powers.values()]
    assert any(_ratio(colour, ground) < 3.0 for colour in colours for ground in grounds)


def _mixed(colour: str, opacity: float, ground: str) -> str:
    """What is seen of a colour over a ground, by Pillow."""
    mixed = Image.blend(Image.new("RGB", (1, 1), ground), Image.new("RGB", (1, 1), colour), opacity)
    return "#" + mixed.tobytes().hex()


def _relative_luminance(colour: str) -> float:
    """WCAG 2.2's definition, by numpy and this file's own linear light."""
    levels = np.array([int(colour[at:at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array(GREY[0]))


def _ratio(first: str, second: str) -> float:
    lighter, darker = sorted((_relative_luminance(first), _relative_luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_measured_as_the_guidelines_do() -> None:
    """Values of the guidelines' text and of the working group's technique G18: black on white is 21 to 1, and
    #777777 on white the well-known 4.48."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert darkened("#ffff00", ["#ffffff"]).endswith("00")
    assert darkened("#505050", ["#222222"]) == "#000000"
