/** Result of parsing one head, as offsets into its bytes; the object is reused for every request. */
export interface FastHead {
  method: string;
  /** Set when the request line is cached; `FastInput.takeHead` sets it otherwise. */
  target: string;
  targetStart: number;
  targetEnd: number;
  /** Offset of the first field, and of the empty line after the last. */
  fieldsStart: number;
  fieldsEnd: number;
  hostStart: number;
  hostEnd: number;
  /** Offset of the body. */
  bodyStart: number;
  bodyLength: number;
  /** Whether the client wants the connection closed after the reply. */
  last: boolean;
  /** Whether the request line equals the cached one; its offsets are not set then. */
  lineCached: boolean;
  /** Whether the fields equal the cached ones; their offsets are not set then. */
  fieldsCached: boolean;
}

/** Returns a head without values, to be filled in by `readFastHead`. */
export const emptyFastHead = (): FastHead => ({
  method: "",
  target: "",
  targetStart: 0,
  targetEnd: 0,
  fieldsStart: 0,
  fieldsEnd: 0,
  hostStart: 0,
  hostEnd: 0,
  bodyStart: 0,
  bodyLength: 0,
  last: false,
  lineCached: false,
  fieldsCached: false,
});
