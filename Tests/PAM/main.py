"""Runs every function of the case files whose name begins with "case_", each in a fresh state."""

import importlib
import inspect
import sys
import traceback

import rig

FILES = [
    "cases_module",
    "cases_answers",
    "cases_tokens",
    "cases_hosts",
    "cases_secrecy",
    "cases_handover",
    "cases_password_change",
    "cases_sessions",
    "cases_late_home",
    "cases_sshd",
]


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    world = rig.World()
    passed = failed = skipped = 0
    for name in FILES:
        module = importlib.import_module(name)
        for case_name, case in inspect.getmembers(module, inspect.isfunction):
            title = f"{name[6:]}: {case_name[5:].replace('_', ' ')}"
            if not case_name.startswith("case_") or wanted not in title:
                continue
            world.reset()
            try:
                case(world)
            except rig.Skip as reason:
                skipped += 1
                print(f"skipped  {title}: {reason}", flush=True)
            except Exception as problem:
                failed += 1
                print(f"FAILED   {title}: {problem}", flush=True)
                if not isinstance(problem, AssertionError) or not str(problem):
                    traceback.print_exc(file=sys.stdout)
            else:
                passed += 1
                print(f"ok       {title}", flush=True)
    world.end()
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0 if passed else 77


sys.exit(main())
