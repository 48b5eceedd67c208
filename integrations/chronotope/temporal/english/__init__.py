"""The grammar of English time expressions, one idea a module: words, numbers, dates, periods, relative time, ranges, cues."""
