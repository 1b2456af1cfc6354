CREATE TABLE `pets_indexed` (
	`one` integer PRIMARY KEY NOT NULL,
	`counted_to` integer NOT NULL,
	`indexed_to` integer NOT NULL,
	CONSTRAINT "pets_indexed_one" CHECK("pets_indexed"."one" = 1)
) STRICT;
--> statement-breakpoint
INSERT INTO `pets_indexed` (`one`, `counted_to`, `indexed_to`) SELECT 1, coalesce(max(`id`), 0), coalesce(max(`id`), 0) FROM `pets`;--> statement-breakpoint
-- A trigger for each new animal cost more than the animal. Their ids only grow, so that two statements add all new ones.
DROP TRIGGER `pets_added`;--> statement-breakpoint
-- At the end of every transaction.
CREATE TRIGGER `pets_counted` AFTER UPDATE OF `counted_to` ON `pets_indexed` BEGIN
	INSERT INTO `pet_events` (`kind`, `pet_id`)
	SELECT 'added', `id` FROM `pets` WHERE `id` > old.`counted_to` AND `id` <= new.`counted_to` ORDER BY `id`;
	INSERT INTO `pet_counts_by_category` (`category_id`, `available`, `pending`, `sold`, `none`)
	SELECT `category_id`, sum(`status` IS 'available'), sum(`status` IS 'pending'), sum(`status` IS 'sold'), sum(`status` IS NULL)
	FROM `pets` WHERE `id` > old.`counted_to` AND `id` <= new.`counted_to` GROUP BY +`category_id`
	ON CONFLICT (`category_id`) DO UPDATE SET `available` = `available` + excluded.`available`, `pending` = `pending` + excluded.`pending`, `sold` = `sold` + excluded.`sold`, `none` = `none` + excluded.`none`;
	INSERT INTO `pet_counts_by_day` (`day`, `available`, `pending`, `sold`, `none`)
	SELECT `created_at` / 86400000, sum(`status` IS 'available'), sum(`status` IS 'pending'), sum(`status` IS 'sold'), sum(`status` IS NULL)
	FROM `pets` WHERE `id` > old.`counted_to` AND `id` <= new.`counted_to` GROUP BY 1
	ON CONFLICT (`day`) DO UPDATE SET `available` = `available` + excluded.`available`, `pending` = `pending` + excluded.`pending`, `sold` = `sold` + excluded.`sold`, `none` = `none` + excluded.`none`;
END;--> statement-breakpoint
-- A change or deletion follows the additions before it: the triggers after it find the animal in the events and the counts.
CREATE TRIGGER `pets_count_before_change` BEFORE UPDATE ON `pets` WHEN (SELECT `counted_to` FROM `pets_indexed`) < (SELECT max(`id`) FROM `pets`) BEGIN
	UPDATE `pets_indexed` SET `counted_to` = (SELECT max(`id`) FROM `pets`);
END;--> statement-breakpoint
CREATE TRIGGER `pets_count_before_delete` BEFORE DELETE ON `pets` WHEN (SELECT `counted_to` FROM `pets_indexed`) < (SELECT max(`id`) FROM `pets`) BEGIN
	UPDATE `pets_indexed` SET `counted_to` = (SELECT max(`id`) FROM `pets`);
END;--> statement-breakpoint
-- Behind the write: before a search, and in the background. The triggers of renamed and deleted animals find nothing to change
-- above `indexed_to`.
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
	INSERT INTO `pets_words` (`rowid`, `name`) SELECT `id`, `folded` FROM `pet_names` WHERE `id` > old.`indexed_to` AND `id` <= new.`indexed_to` ORDER BY `id`;
END;--> statement-breakpoint
-- The words of an order contain the name of its animal.
CREATE TRIGGER `orders_name_before_add` BEFORE INSERT ON `orders` WHEN new.`pet_id` > (SELECT `indexed_to` FROM `pets_indexed`) BEGIN
	UPDATE `pets_indexed` SET `indexed_to` = max(`indexed_to`, (SELECT coalesce(max(`id`), 0) FROM `pets` WHERE `id` <= new.`pet_id`));
END;--> statement-breakpoint
CREATE TRIGGER `orders_name_before_change` BEFORE UPDATE OF `adopter_name`, `adopter_email` ON `orders` WHEN new.`pet_id` > (SELECT `indexed_to` FROM `pets_indexed`) BEGIN
	UPDATE `pets_indexed` SET `indexed_to` = max(`indexed_to`, (SELECT coalesce(max(`id`), 0) FROM `pets` WHERE `id` <= new.`pet_id`));
END;--> statement-breakpoint
-- Segments of the index are merged in the background, not by the write that makes one too many.
INSERT INTO `pets_words` (`pets_words`, `rank`) VALUES ('automerge', 0);
