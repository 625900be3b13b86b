/** Bytes of a page that reading aims at, so that pages of large events have few of them. */
const PAGE_BYTES = 4_194_304;
/** Events of the first page, whose size is unknown. */
const FIRST_PAGE = 100;
/** Most events of one page. */
export const MAX_PAGE = 1000;

/** Number of events to read next, from the sizes of those read before. */
export class PageSize {
  private next = FIRST_PAGE;

  get(): number {
    return this.next;
  }

  /** Notes the sizes of a page. */
  note(rows: readonly { readonly data: string }[]): void {
    if (rows.length === 0) return;
    let bytes = 0;
    for (const { data } of rows) bytes += data.length;
    const average = Math.max(1, bytes / rows.length);
    this.next = Math.max(1, Math.min(MAX_PAGE, this.next * 4, Math.floor(PAGE_BYTES / average)));
  }
}
