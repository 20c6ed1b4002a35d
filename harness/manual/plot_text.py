"""Prints what the help of `tailgate plot` says, as JSON with the fields of CommandText
(harness/cli/command_text.h). The one argument is the folder of the plot scripts."""
import json
import sys

sys.path.insert(0, sys.argv[1])
import command
import plot


def option_text(action):
    return {"names": list(reversed(action.option_strings)) or [action.metavar],
            "positional": not action.option_strings,
            "description": action.help,
            "value": action.metavar or "",
            "required": not action.option_strings,
            "repeats": action.nargs == "+"}


parser = command.parser(plot.KINDS, "tailgate plot")
json.dump({
    "options": [option_text(action) for action in parser._actions],
    "footer": parser.description + "\n\n" + command.examples("tailgate plot", plot.KINDS),
    "exit_codes": [{"code": code, "brief": brief} for code, brief in command.EXIT_CODES.items()],
}, sys.stdout)
