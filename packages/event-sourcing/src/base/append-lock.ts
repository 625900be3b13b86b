/** The advisory lock that says "an append is in flight": a transaction that holds it may have drawn positions that are not visible yet. */
export const APPEND_LOCK = 5_208_836_471_093;
