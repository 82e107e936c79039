"""Pictures that leave: the map, the written results, copies of executed sheets."""

from service.pictures.map_sheet import MapPlan, NoShapes, draw_map, map_pdf, plan_map
from service.pictures.render import RenderError, to_pdf, to_png, to_pngs
from service.pictures.values import MapOptions

__all__ = ["MapOptions", "MapPlan", "NoShapes", "RenderError", "draw_map", "map_pdf", "plan_map", "to_pdf", "to_png", "to_pngs"]
