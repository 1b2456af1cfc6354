-- Beginnings of up to 20 letters, where there were 6: of a word without one all matches are gathered before the first is shown.
-- Names have few longer words, so that the index grows by a tenth and an animal costs no more to add.
DROP TABLE `pets_words`;--> statement-breakpoint
CREATE VIRTUAL TABLE `pets_words` USING fts5(name, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20');--> statement-breakpoint
INSERT INTO `pets_words` (`rowid`, `name`) SELECT `id`, `name` FROM `pets`;
