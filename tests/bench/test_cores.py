#!/usr/bin/env python3
"""Simulated processors: schedules that were worked out by hand."""

import random
import unittest

import cores

ONE = {'parse': 10, 'decode': [4, 4], 'stacks': [6, 2], 'feed': 1}


class Schedules(unittest.TestCase):
    def setUp(self):
        cores.HAND_OVER, self.before = 0, cores.HAND_OVER
        self.addCleanup(setattr, cores, 'HAND_OVER', self.before)

    def time(self, stretches, n):
        return cores.Simulation(stretches, n).run()

    def test_one_does_all(self):
        self.assertEqual(self.time([ONE], 1), 27)
        self.assertEqual(self.time([ONE] * 5, 1), 5 * 27)

    def test_two(self):
        """10 parse, 4 decode, 6 and 2 stacks, 1 feed."""
        self.assertEqual(self.time([ONE], 2), 21)

    def test_two_of_two(self):
        """The second is parsed from 14 to 24 while the other worker stacks 6 + 2 and feeds 1, and decoded to 28."""
        self.assertEqual(self.time([ONE, ONE], 2), 28 + 6 + 1)

    def test_many_are_bound_by_parsing(self):
        """Each stretch takes 10 + 4 to make, which nobody shortens."""
        self.assertEqual(self.time([ONE] * 10, 64), 10 * 14 + 6 + 1)

    def test_many_are_bound_by_the_busiest_thread(self):
        slow = {'parse': 1, 'decode': [1], 'stacks': [20, 5, 5], 'feed': 2}
        self.assertEqual(self.time([slow] * 10, 64), 2 + 10 * 22)

    def test_hand_over(self):
        cores.HAND_OVER = 3
        self.assertEqual(self.time([ONE], 2), 21 + 4 * 3)
        self.assertEqual(self.time([ONE], 1), 27)


class Work(unittest.TestCase):
    def test_nothing_is_lost(self):
        stage = {'parse': 11, 'decode': 38, 'stacks': 50, 'feed': 1}
        for stretch in cores.work_of(stage, [0.6, 0.3, 0.1], random.Random(1)):
            self.assertAlmostEqual(sum(stretch['decode']), 38)
            self.assertAlmostEqual(sum(stretch['stacks']), 50)


if __name__ == '__main__':
    unittest.main()
