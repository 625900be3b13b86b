/** Returns event data of about 200 bytes, a typical size. */
export const data = (number: number): object => ({
  book: `book-${number}`,
  member: `member-${number % 1000}`,
  note: 'he said "later", and did not come back for a week and a half; then he did, with the book',
  days: 14,
  tags: ["fiction", "returned-late"],
});

let streams = 0;

/** Returns the name of an unused stream. */
export const newStream = (): string => `loan-${process.pid}-${++streams}`;
