CREATE TABLE `pet_search` (
	`pet_id` integer PRIMARY KEY NOT NULL,
	`of_name` text,
	`of_profile` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`pet_id`) REFERENCES `pets`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `pet_search_to_make` ON `pet_search` (`pet_id`) WHERE "pet_search"."of_name" is null;--> statement-breakpoint
CREATE TABLE `pet_times` (
	`id` integer PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`at` integer GENERATED ALWAYS AS ("id" + 0) VIRTUAL
) STRICT;
--> statement-breakpoint
CREATE INDEX `pet_times_by_creation` ON `pet_times` (`created_at`,`at`);--> statement-breakpoint
CREATE INDEX `pet_times_by_update` ON `pet_times` (`updated_at`,`at`);--> statement-breakpoint
-- Other names may have words that only the program can make: it does so after the upgrade.
INSERT INTO `pet_search` (`pet_id`) SELECT `id` FROM `pets` WHERE `name` GLOB '*[^ -~]*';--> statement-breakpoint
INSERT INTO `pet_times` (`id`, `created_at`, `updated_at`) SELECT `id`, `created_at`, coalesce(`updated_at`, `created_at`) FROM `pets` WHERE `id` <= (SELECT `indexed_to` FROM `pets_indexed`);--> statement-breakpoint
-- The same indexes of words as before, but marks are part of a word: vowel signs of Indic scripts, for example. The separators are
-- the two invisible marks after emoji, U+FE0E and U+FE0F.
DROP TABLE `pets_words`;--> statement-breakpoint
CREATE VIRTUAL TABLE `pets_words` USING fts5(name, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2 categories ''L* Mn Mc N* Co'' separators ''︎️''', prefix='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20');--> statement-breakpoint
INSERT INTO `pets_words` (`rowid`, `name`) SELECT `id`, `folded` FROM `pet_names`;--> statement-breakpoint
INSERT INTO `pets_words` (`pets_words`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
DROP TABLE `orders_words`;--> statement-breakpoint
CREATE VIRTUAL TABLE `orders_words` USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2 categories ''L* Mn Mc N* Co'' separators ''︎️''', prefix='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20');--> statement-breakpoint
INSERT INTO `orders_words` (`rowid`, `words`) SELECT `id`, iif((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ltrim(lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || coalesce((SELECT `pet_names`.`folded` FROM `pet_names` WHERE `pet_names`.`id` = `pet_id`), '') FROM `orders`;--> statement-breakpoint
DROP TRIGGER `pets_named`;--> statement-breakpoint
CREATE TRIGGER `pets_named` AFTER UPDATE OF `indexed_to` ON `pets_indexed` BEGIN
	INSERT INTO `pet_names` (`id`, `folded`) SELECT `id`, iif(`name` NOT GLOB '*[^ -~]*', lower(`name`), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(`name`), ltrim(lower(`name`), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) FROM `pets` WHERE `id` > old.`indexed_to` AND `id` <= new.`indexed_to` ORDER BY `id`;
	INSERT INTO `pets_words` (`rowid`, `name`) SELECT `id`, `folded` || coalesce((SELECT ' ' || coalesce(`of_name`, '') || ' ' || `of_profile` FROM `pet_search` WHERE `pet_id` = `id`), '') FROM `pet_names` WHERE `id` > old.`indexed_to` AND `id` <= new.`indexed_to` ORDER BY `id`;
	INSERT INTO `pet_times` (`id`, `created_at`, `updated_at`) SELECT `id`, `created_at`, coalesce(`updated_at`, `created_at`) FROM `pets` WHERE `id` > old.`indexed_to` AND `id` <= new.`indexed_to` ORDER BY `id`;
END;--> statement-breakpoint
DROP TRIGGER `pets_renamed`;--> statement-breakpoint
CREATE TRIGGER `pets_renamed` AFTER UPDATE OF `name` ON `pets` WHEN old.`name` <> new.`name` BEGIN
	UPDATE `pet_names` SET `folded` = iif(new.`name` NOT GLOB '*[^ -~]*', lower(new.`name`), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(new.`name`), ltrim(lower(new.`name`), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) WHERE `id` = old.`id`;
	UPDATE `pets_words` SET `name` = (SELECT `folded` || coalesce((SELECT ' ' || coalesce(`of_name`, '') || ' ' || `of_profile` FROM `pet_search` WHERE `pet_id` = `id`), '') FROM `pet_names` WHERE `id` = old.`id`) WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
DROP TRIGGER `pets_deleted`;--> statement-breakpoint
CREATE TRIGGER `pets_deleted` AFTER DELETE ON `pets` BEGIN
	DELETE FROM `pets_words` WHERE `rowid` = old.`id`;
	DELETE FROM `pet_names` WHERE `id` = old.`id`;
	DELETE FROM `pet_times` WHERE `id` = old.`id`;
	UPDATE `pet_counts_by_category` SET `available` = `available` - (old.`status` IS 'available'), `pending` = `pending` - (old.`status` IS 'pending'), `sold` = `sold` - (old.`status` IS 'sold'), `none` = `none` - (old.`status` IS NULL)
	WHERE `category_id` = old.`category_id`;
	DELETE FROM `pet_counts_by_category`
	WHERE `category_id` = old.`category_id` AND `available` = 0 AND `pending` = 0 AND `sold` = 0 AND `none` = 0;
	UPDATE `pet_counts_by_day` SET `available` = `available` - (old.`status` IS 'available'), `pending` = `pending` - (old.`status` IS 'pending'), `sold` = `sold` - (old.`status` IS 'sold'), `none` = `none` - (old.`status` IS NULL) WHERE `day` = old.`created_at` / 86400000;
	INSERT INTO `pet_events` (`kind`, `pet_id`) VALUES ('deleted', old.`id`);
END;--> statement-breakpoint
-- These find nothing to change above `indexed_to`.
CREATE TRIGGER `pets_touched` AFTER UPDATE OF `updated_at` ON `pets` WHEN old.`updated_at` IS NOT new.`updated_at` BEGIN
	UPDATE `pet_times` SET `updated_at` = coalesce(new.`updated_at`, new.`created_at`) WHERE `id` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `pet_search_added` AFTER INSERT ON `pet_search` WHEN coalesce(new.`of_name`, '') <> '' OR new.`of_profile` <> '' BEGIN
	UPDATE `pets_words` SET `name` = (SELECT `folded` || coalesce((SELECT ' ' || coalesce(`of_name`, '') || ' ' || `of_profile` FROM `pet_search` WHERE `pet_id` = `id`), '') FROM `pet_names` WHERE `id` = new.`pet_id`) WHERE `rowid` = new.`pet_id`;
END;--> statement-breakpoint
CREATE TRIGGER `pet_search_changed` AFTER UPDATE ON `pet_search` WHEN coalesce(old.`of_name`, '') <> coalesce(new.`of_name`, '') OR old.`of_profile` <> new.`of_profile` BEGIN
	UPDATE `pets_words` SET `name` = (SELECT `folded` || coalesce((SELECT ' ' || coalesce(`of_name`, '') || ' ' || `of_profile` FROM `pet_search` WHERE `pet_id` = `id`), '') FROM `pet_names` WHERE `id` = new.`pet_id`) WHERE `rowid` = new.`pet_id`;
END;--> statement-breakpoint
-- Deleting an animal deletes its words too.
CREATE TRIGGER `pet_search_deleted` AFTER DELETE ON `pet_search` WHEN EXISTS (SELECT 1 FROM `pets` WHERE `id` = old.`pet_id`) BEGIN
	UPDATE `pets_words` SET `name` = (SELECT `folded` || coalesce((SELECT ' ' || coalesce(`of_name`, '') || ' ' || `of_profile` FROM `pet_search` WHERE `pet_id` = `id`), '') FROM `pet_names` WHERE `id` = old.`pet_id`) WHERE `rowid` = old.`pet_id`;
END;
