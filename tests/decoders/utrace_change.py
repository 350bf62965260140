"""Changes sound captures (.utrace) into other sound captures, at random.

Each change keeps the capture valid by docs/format/utrace-wire.md; what it then holds, the decoder says.
"""

import copy
import dataclasses

from utrace_batches import more_scopes, other_timers
from utrace_draft import draft, encode
from utrace_memory import plant_memory
from utrace_packets import compress, head, interleave, recut, shift_serials
from utrace_values import counter_values, double, drop, move_times, names, numbers, pieces_of_blobs, slack

CHANGES = (head, recut, interleave, compress, shift_serials, drop, double, counter_values, move_times, numbers, names, slack,
           pieces_of_blobs, other_timers, more_scopes, plant_memory)


def change(capture, rng):
    """The bytes of another capture, and the names of what was changed."""
    made = draft(copy.copy(capture))
    made.units = [dataclasses.replace(unit, records=list(unit.records)) for unit in made.units]
    chosen = rng.sample(CHANGES, rng.randint(1, 5))
    for apply in chosen:
        apply(made, rng)
    return encode(made, rng), [apply.__name__ for apply in chosen]
