/** Target size of the data of a page in characters: pages of large events have fewer events. */
const PAGE_LENGTH = 4_194_304;
/** Number of events of the first page, when the sizes of events are unknown. */
const FIRST_PAGE = 100;
/** Maximum number of events of a page. */
export const MAX_PAGE = 1000;

/** Adapts the number of events per page to the sizes of the events read so far. */
export class PageSize {
  private size = FIRST_PAGE;

  get(): number {
    return this.size;
  }

  /** Adapts to the sizes of the last page. */
  adapt(rows: readonly { readonly data: string }[]): void {
    if (rows.length === 0) return;
    let length = 0;
    for (const { data } of rows) length += data.length;
    const average = Math.max(1, length / rows.length);
    this.size = Math.max(1, Math.min(MAX_PAGE, this.size * 4, Math.floor(PAGE_LENGTH / average)));
  }
}
