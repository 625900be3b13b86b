/** A page of the page: its elements, and what brings them up to date. */
export interface View {
  readonly root: HTMLElement;
  /** Called after every change of the store, at most once a frame. */
  update(): void;
  /** Called when another view takes its place. */
  close?(): void;
}
