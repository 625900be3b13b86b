/** Result of parsing one head, as offsets into its bytes; the object is reused for every request. */
export interface FastHead {
  method: string;
  /** Set by `FastInput`. */
  target: string;
  targetStart: number;
  targetEnd: number;
  /** `RequestSource.isPlain` */
  isPlain: boolean;
  /** Offset of the first field, and of the empty line after the last. */
  fieldsStart: number;
  fieldsEnd: number;
  hostStart: number;
  hostEnd: number;
  /** Offset of the body. */
  bodyStart: number;
  bodyLength: number;
  /** Whether the request has `Connection: close`. */
  last: boolean;
  /** Whether `Content-Type` is exactly `application/json`. */
  isJson: boolean;
  /** Number of the window load that was parsed. */
  load: number;
}

/** Returns a head without values, to be filled in by `readFastHead`. */
export const emptyFastHead = (): FastHead => ({
  method: "",
  target: "",
  targetStart: 0,
  targetEnd: 0,
  isPlain: false,
  fieldsStart: 0,
  fieldsEnd: 0,
  hostStart: 0,
  hostEnd: 0,
  bodyStart: 0,
  bodyLength: 0,
  last: false,
  isJson: false,
  load: -1,
});
