/** Registers a test: the `test` of any runner. */
export type Test = (name: string, run: () => Promise<void>) => void;
