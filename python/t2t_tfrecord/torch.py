"""A map-style PyTorch Dataset over record files; works with DataLoader(num_workers=N), fork and spawn."""
import torch
import torch.utils.data

from .reader import Reader


class Dataset(torch.utils.data.Dataset):
    """Item i is Example i: int64 and float features as tensors, bytes features as lists of bytes.

    fields     names of the features that are wanted
    transform  called with the dict; its result is the item
    """

    def __init__(self, inputs, fields=None, transform=None):
        self.reader = Reader(inputs, fields=fields)
        self.transform = transform

    def __len__(self):
        return len(self.reader)

    def _item(self, example):
        item = {k: v if v is None or isinstance(v, list) else torch.from_numpy(v) for k, v in example.items()}
        return item if self.transform is None else self.transform(item)

    def __getitem__(self, i):
        return self._item(self.reader[i])

    def __getitems__(self, numbers):
        return [self._item(e) for e in self.reader[numbers]]


def pad_collate(items, value=0):
    """Collates dicts: int64 and float features padded to the longest, others as lists."""
    out = {}
    for k in items[0]:
        column = [x[k] for x in items]
        if all(isinstance(c, torch.Tensor) for c in column):
            out[k] = torch.nn.utils.rnn.pad_sequence(column, batch_first=True, padding_value=value)
        else:
            out[k] = column
    return out
