/** Target size of a page in bytes: pages of large events have fewer events. */
const PAGE_BYTES = 4_194_304;
/** Events of the first page, when the sizes of events are unknown. */
const FIRST_PAGE = 100;
/** Maximum events of a page. */
export const MAX_PAGE = 1000;

/** Adapts the number of events per page to the sizes of the events read so far. */
export class PageSize {
  private next = FIRST_PAGE;

  get(): number {
    return this.next;
  }

  /** Adapts to the sizes of the last page. */
  adapt(rows: readonly { readonly data: string }[]): void {
    if (rows.length === 0) return;
    let bytes = 0;
    for (const { data } of rows) bytes += data.length;
    const average = Math.max(1, bytes / rows.length);
    this.next = Math.max(1, Math.min(MAX_PAGE, this.next * 4, Math.floor(PAGE_BYTES / average)));
  }
}
