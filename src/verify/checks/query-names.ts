/** The names of the basic checks of queries. The finer ones need them: a service that ignores `sort` also ignores bad keys. */
export const limitWorks = "queryWithSortedParameters: limit bounds the results";
export const offsetWorks = "queryWithSortedParameters: offset skips results";
export const sortWorks = "queryWithSortedParameters: sort orders the results";
export const whereWorks = "queryWithSortedParameters: where selects the matching resources";
