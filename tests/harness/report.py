"""What a check found: comparisons of one capture, and the lines and sums that the checks print."""

import traceback

SHOWN = 8               # differences of a capture that are printed
SKIPPED = 77            # exit status of a check of which a part could not be run (SKIP_RETURN_CODE of its test)


class Skipped(Exception):
    """A check needs what is not here; the text says in one sentence what."""


class Comparison:
    """Compares and remembers what differs."""

    def __init__(self):
        self.compared = 0
        self.different = []

    def equal(self, what, got, wanted):
        self.compared += 1
        if got != wanted:
            self.different.append('%s: %s' % (what, difference(got, wanted)))

    def true(self, what, condition):
        self.compared += 1
        if not condition:
            self.different.append(what)

    def attempt(self, check, *arguments):
        """check(self, *arguments); an exception in it is a difference like any other."""
        try:
            check(self, *arguments)
        except Skipped:
            raise
        except Exception as error:                      # noqa: BLE001
            trace = traceback.extract_tb(error.__traceback__)[-1]
            self.different.append('%s: %s (%s:%d)' % (type(error).__name__, error, trace.filename, trace.lineno))


def difference(got, wanted):
    """The first place where two values differ, in words."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        for key in [*wanted, *(key for key in got if key not in wanted)]:
            if key not in got:
                return '[%r] is missing, should be %.200r' % (key, wanted[key])
            if key not in wanted:
                return '[%r] = %.200r should not be there' % (key, got[key])
            if got[key] != wanted[key]:
                return '[%r] %s' % (key, difference(got[key], wanted[key]))
    if isinstance(got, (list, tuple)) and isinstance(wanted, (list, tuple)):
        for index, (one, other) in enumerate(zip(got, wanted)):
            if one != other:
                return '[%d] %s' % (index, difference(one, other))
        return '%d entries instead of %d' % (len(got), len(wanted))
    return '%.200r instead of %.200r' % (got, wanted)


class Report:
    """Runs checks, prints a line for each, and the closing line."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def run(self, name, check, *arguments):
        """check(comparison, *arguments); an exception in it is a failure like any other."""
        comparison = Comparison()
        try:
            comparison.attempt(check, *arguments)
        except Skipped as missing:
            self.skipped += 1
            print('skip   %s  %s' % (name, missing), flush=True)
            return
        comparison.true('nothing was compared', comparison.compared)
        failed = bool(comparison.different)
        self.failed += failed
        self.passed += not failed
        print('%-6s %s  %d compared' % ('FAILED' if failed else 'ok', name, comparison.compared), flush=True)
        for line in comparison.different[:SHOWN]:
            print('       ' + line)
        if len(comparison.different) > SHOWN:
            print('       and %d more' % (len(comparison.different) - SHOWN))

    def close(self):
        """Prints the closing line and returns the exit status."""
        print('%d passed, %d failed%s' % (self.passed, self.failed, ', %d skipped' % self.skipped if self.skipped else ''))
        if self.failed or not self.passed + self.skipped:
            return 1
        return SKIPPED if self.skipped else 0
