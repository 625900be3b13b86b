import { expect, test } from "@jest/globals";
import { scan, type Scanned } from "./scan.ts";

test("a scan reads at most maxRows rows, and the next one begins with the first row that was not read", async () => {
  const rows = Array.from({ length: 25 }, (_, number) => number);
  const isWanted = async (row: number) => (row % 6 === 4 ? row : null);
  const read = async (offset: number, count: number) => rows.slice(offset, offset + count);
  const pages: unknown[] = [];
  for (let begin: number | null = 0; begin !== null;) {
    const page: Scanned<number> = await scan({ begin, limit: 3, maxRows: 10 }, read, isWanted);
    pages.push([begin, page.found]);
    begin = page.next;
  }
  expect(pages).toEqual([
    [0, [4]],
    [10, [10, 16]],
    [20, [22]],
  ]);
});

test("a scan ends with its last result, and has no next one after the last row", async () => {
  const counts: number[] = [];
  const read = async (offset: number, count: number) => {
    counts.push(count);
    return [0, 1, 2, 3, 4].slice(offset, offset + count);
  };
  const all = async (row: number) => row;
  expect(await scan({ begin: 0, limit: 2, maxRows: 10 }, read, all)).toEqual({ found: [0, 1], next: 2 });
  expect(await scan({ begin: 4, limit: 2, maxRows: 10 }, read, all)).toEqual({ found: [4], next: null });
  expect(counts).toEqual([2, 2]);
});
