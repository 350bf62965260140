"""What figures are of: the processor of this machine."""

import os
import platform


def name():
    """The name of the processor, and how many of them there are."""
    model = platform.processor() or platform.machine()
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            model = next((line.split(':', 1)[1].strip() for line in file if line.startswith('model name')), model)
    except OSError:
        pass
    return '%s, %d' % (model, os.cpu_count() or 1)
