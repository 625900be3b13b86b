/** A view of the page. */
export interface View {
  readonly root: HTMLElement;
  /** Called after every change of the store, at most once a frame. */
  update(): void;
  /** Called when another view replaces it. */
  close?(): void;
}
