/** Maximum ranges of one request; with more it gets the whole file. */
export const maxRanges = 10;

/** Length of the file of the table. */
export const size = 1_048_576;
const last = size - 1;

/** Expected result of a field: ranges of 1 MiB, `whole`, or `none` when unsatisfiable. */
export type ExpectedRanges = "whole" | "none" | readonly (readonly [start: number, end: number])[];

/** Every form of a `Range` field, with its expected result. */
export const table: readonly (readonly [field: string, expected: ExpectedRanges])[] = [
  ["bytes=0-0", [[0, 0]]],
  ["bytes=0-", [[0, last]]],
  ["bytes=0-99", [[0, 99]]],
  ["bytes=100-199", [[100, 199]]],
  ["bytes=-1", [[last, last]]],
  ["bytes=-100", [[last - 99, last]]],
  ["bytes=-1048576", [[0, last]]],
  ["bytes=-99999999", [[0, last]]],
  ["bytes=1048575-", [[last, last]]],
  ["bytes=1048575-1048575", [[last, last]]],
  ["bytes=1048575-99999999", [[last, last]]],
  ["bytes=0-99999999999999999999999", [[0, last]]],
  ["bytes=5-5", [[5, 5]]],
  ["bytes=00-0005", [[0, 5]]],
  ["BYTES=0-1", [[0, 1]]],
  ["Bytes=0-1", [[0, 1]]],
  ["bytes= 0-1", [[0, 1]]],
  ["bytes=0-1 ", [[0, 1]]],
  ["bytes=\t0-1", [[0, 1]]],
  ["bytes=0-1,", [[0, 1]]],
  ["bytes=,0-1", [[0, 1]]],
  [
    "bytes=0-0,2-2",
    [
      [0, 0],
      [2, 2],
    ],
  ],
  [
    "bytes=0-0 , 2-2",
    [
      [0, 0],
      [2, 2],
    ],
  ],
  [
    "bytes=5-6,0-1",
    [
      [5, 6],
      [0, 1],
    ],
  ],
  [
    "bytes=0-0,-1",
    [
      [0, 0],
      [last, last],
    ],
  ],
  [
    "bytes=-1,0-0",
    [
      [last, last],
      [0, 0],
    ],
  ],
  ["bytes=0-1,2-3", [[0, 3]]],
  ["bytes=0-5,3-9", [[0, 9]]],
  ["bytes=3-9,0-5", [[0, 9]]],
  ["bytes=0-9,2-3", [[0, 9]]],
  ["bytes=0-0,0-0,0-0", [[0, 0]]],
  ["bytes=0-1,4-5,1-4", [[0, 5]]],
  [
    "bytes=7-8,0-1,9-10",
    [
      [7, 10],
      [0, 1],
    ],
  ],
  ["bytes=0-,-1", [[0, last]]],
  ["bytes=0-1,1048576-", [[0, 1]]],
  ["bytes=1048576-,0-1", [[0, 1]]],
  ["bytes=0-1,-0", [[0, 1]]],
  ["bytes=1048576-", "none"],
  ["bytes=1048576-1048577", "none"],
  ["bytes=99999999999999999999-", "none"],
  ["bytes=-0", "none"],
  ["bytes=-00", "none"],
  ["bytes=1048576-,-0", "none"],
  ["bytes=", "whole"],
  ["bytes=,", "whole"],
  ["bytes=-", "whole"],
  ["bytes=0", "whole"],
  ["bytes=1-0", "whole"],
  ["bytes=0-1,3-2", "whole"],
  ["bytes=0-1,x", "whole"],
  ["bytes=a-b", "whole"],
  ["bytes=0-1-2", "whole"],
  ["bytes=0x0-0x1", "whole"],
  ["bytes=+0-1", "whole"],
  ["bytes=--1", "whole"],
  ["bytes=0 - 1", "whole"],
  ["bytes=0-1;2-3", "whole"],
  ["bytes:0-1", "whole"],
  ["bytes 0-1", "whole"],
  ["0-1", "whole"],
  ["=0-1", "whole"],
  ["items=0-1", "whole"],
  ["bytesx=0-1", "whole"],
  ["bytes =0-1", [[0, 1]]],
  [
    `bytes=${Array.from({ length: maxRanges }, (_, index) => `${index * 2}-${index * 2}`).join()}`,
    Array.from({ length: maxRanges }, (_, index) => [index * 2, index * 2] as const),
  ],
  [
    `bytes=${Array.from({ length: maxRanges + 1 }, (_, index) => `${index * 2}-${index * 2}`).join()}`,
    "whole",
  ],
  [`bytes=${Array.from({ length: 500 }, (_, index) => `${index}-${index}`).join()}`, [[0, 499]]],
  [`bytes=${Array.from({ length: 500 }, () => "0-").join()}`, [[0, last]]],
];
