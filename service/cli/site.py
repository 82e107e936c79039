"""A site of one's own, as the command line knows it: settings, check, serving, games, users."""

from service.cli.archive import backup_site, export_game, import_game, restore_site
from service.cli.check_site import check_site
from service.cli.games import create_game, show_games
from service.cli.print_paper import write_paper
from service.cli.serve import run_site, run_worker
from service.cli.users import add_user
from service.site_folder import SiteError, settings_of, write_settings

__all__ = [
    "SiteError", "add_user", "backup_site", "check_site", "create_game", "export_game", "import_game",
    "restore_site", "run_site",
    "run_worker", "settings_of", "show_games", "write_paper", "write_settings",
]
