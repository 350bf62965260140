#!/usr/bin/env python3
"""Plants second implementations and checks that check_judgements.py sees each, and nothing in what is none."""

import sys
import unittest

import check_judgements as checked

PLANTED = {
    'when a frame is a hitch': (
        'if (length > 2 * median)', 'const double limit = frames->median * 1.5;', 'ms[i] > 1.5 * expected_of(i)',
        'is[i] |= TK_FRAME_IS_HITCH;', 'r = fmin(r, 60 / 33.9);', 'return t > 2.0 * stats.p50;'),
    'the words of studios': (
        '{"low1", "1/s"},', "'hitch_ratio': late / seconds,", 'late += ms[i] > 1.05 * 1000 / fps;',
        'const double n = floor(target * seconds);'),
    'roles of threads': (
        '{"gamethread*", GAME},', 'if (strcmp(name, "RenderThread") == 0)', "name.startsWith('RHIThread')", '"*worker*"',
        '{"game thread*", GAME},', 'glob("*taskgraph*", name)'),
    'what waits': (
        '{"*WaitFor*", WAIT},', 'strstr(name, "Idle")', "name.includes('Present')", "WHERE timer LIKE 'Wait%'", '"*::Sleep"',
        'tk_glob("*VSync*", 7, name, n, true)', 'return timer->kind == TK_TIMER_GPU_WAIT || tk_work_waits(work);'),
    'what a timer is': (
        'const bool gpu = kind == TK_TIMER_GPU || kind == TK_TIMER_GPU_WORK;', 'if (timer->is_function && !has_colons(timer->name))',
        'hash = tk_hash_bytes(timer->name->p, timer->name->n, timer->kind);', 'return strstr(name, "::") != NULL;',
        "const bare = !name.includes('::');", 'SELECT sum(excl) FROM timers GROUP BY timer, file, line', 'case TK_TIMER_GPU:'),
    'how a comparison ended': (
        'return worse ? "regressed" : unsure ? "inconclusive" : "unchanged";', 'puts("below the floors");', "verdict = 'no regression'",
        '{4, "not comparable"},'),
}
INNOCENT = (
    '[WAITING] = {"waiting", TK_DURATION, 0, NULL, "time off core"},', '[THREAD] = {"thread", TK_TEXT, 0, NULL, "game thread"},',
    'tk_answer_cell(smoothness, 0, "hitches_min")', 'double sd = 1.4826 * tk_robust_median(space, n);', 'if (is & TK_FRAME_IS_LATE)',
    'return "waiting";', '"the game thread waited"', 'tk_opt_real("wait", args->wait, false, &c.wait, message)', 'q * 2 + median',
    'timer->is_function = place.is_function;', '"GROUP BY timer"', 'if (timer->info.kind == TK_TIMER_GPU_WAIT)', '[TK_WORSE] = "regressed",')


class Judgements(unittest.TestCase):
    def test_planted(self):
        for judgement, lines in PLANTED.items():
            for line in lines:
                with self.subTest(line=line):
                    found = [j for j, _, _ in checked.faults_of('libtrace/model/a.c', [(1, line)])]
                    self.assertIn(judgement, found)

    def test_innocent(self):
        for line in INNOCENT:
            with self.subTest(line=line):
                self.assertEqual(list(checked.faults_of('libtrace/model/a.c', [(1, line)])), [])

    def test_owner(self):
        for judgement, (owner, _) in checked.RULES.items():
            for line in PLANTED[judgement]:
                found = [j for j, _, _ in checked.faults_of(owner + '.c', [(1, line)])]
                self.assertNotIn(judgement, found)


if __name__ == '__main__':
    sys.exit(unittest.main())
