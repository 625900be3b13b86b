/** Rows of one table that are leased to this process: their `owner` is the kernel's id. `Owners` renews them. */
export interface LeasedTable {
  /** Name of the table, for messages. */
  readonly name: string;
  /**
   * Renews every row of this process in one statement, and aborts the work of rows that it no longer owns. Called every third of a lease, never
   * concurrently. `signal` aborts at the next renewal.
   */
  renew(signal: AbortSignal): Promise<void>;
  /**
   * Makes the rows of owners that are gone claimable, and wakes the processes that wait for them. Returns how many rows the owners had, including
   * rows that a transaction still locks: the next call takes them.
   */
  expire(owners: readonly string[]): Promise<number>;
  /** Called when no renewal has succeeded for a whole lease: the rows may belong to others. Aborts their work. */
  lost?(): void;
}
