"""A site of one's own, as the command line knows it: settings, check, serving, games, users."""

from service.site_archive import backup_site, export_game, import_game, restore_site
from service.site_check import check_site
from service.site_games import create_game, show_games
from service.site_paper import write_paper
from service.site_serve import run_site, run_worker
from service.site_settings import SiteError, settings_of, write_settings
from service.site_users import add_user

__all__ = [
    "SiteError", "add_user", "backup_site", "check_site", "create_game", "export_game", "import_game", "restore_site", "run_site",
    "run_worker", "settings_of", "show_games", "write_paper", "write_settings",
]
