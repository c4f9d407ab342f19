#!/usr/bin/env python3
"""TensorBoard's own writer and reader: the witness of src/train/tensorboard.c.

    pip install tensorboard
    tools/golden_tensorboard.py            prints the bytes that tests/test_journal.c wants
    tools/golden_tensorboard.py FILE...    prints what TensorBoard reads from event files

Reading checks every checksum and fails at the first that is wrong.
"""
import io
import sys

from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter


def write():
    file = io.BytesIO()
    writer = RecordWriter(file)
    writer.write(event_pb2.Event(wall_time=100, file_version="brain.Event:2").SerializeToString())
    values = [summary_pb2.Summary.Value(tag="a", simple_value=1.5),
              summary_pb2.Summary.Value(tag="loss", simple_value=2)]
    writer.write(event_pb2.Event(wall_time=100.5, step=300,
                                 summary=summary_pb2.Summary(value=values)).SerializeToString())
    writer.flush()
    text = file.getvalue().hex(" ")
    for i in range(0, len(text), 96):
        print(text[i:i + 96])


def read(path):
    for raw in RawEventFileLoader(path).Load():
        event = event_pb2.Event.FromString(raw)
        values = {v.tag: v.simple_value for v in event.summary.value}
        print(event.wall_time, event.step, event.file_version or values)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        read(name)
    if not sys.argv[1:]:
        write()
