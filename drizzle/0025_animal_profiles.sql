CREATE TABLE `pet_fields` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`label` text NOT NULL,
	`kind` text NOT NULL,
	`choices` text,
	`is_public` integer NOT NULL,
	`position` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "pet_fields_kind" CHECK("pet_fields"."kind" in ('text', 'number', 'boolean', 'date', 'choice')),
	CONSTRAINT "pet_fields_choices" CHECK(("pet_fields"."choices" is not null) = ("pet_fields"."kind" = 'choice'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pet_fields_name_unique` ON `pet_fields` (`name`);--> statement-breakpoint
CREATE TABLE `pet_photos` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`pet_id` integer NOT NULL,
	`position` integer NOT NULL,
	`alt` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`placeholder` text NOT NULL,
	`manifest` text NOT NULL,
	`files` text NOT NULL,
	`created_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`pet_id`) REFERENCES `pets`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `pet_photos_by_pet` ON `pet_photos` (`pet_id`,`position`);--> statement-breakpoint
CREATE TABLE `pet_profiles` (
	`pet_id` integer PRIMARY KEY NOT NULL,
	`data` text NOT NULL,
	`reference` text GENERATED ALWAYS AS (iif(json_valid("data"), "data" ->> '$.reference', NULL)) VIRTUAL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`pet_id`) REFERENCES `pets`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pet_profiles_by_reference` ON `pet_profiles` (`reference`) WHERE "pet_profiles"."reference" is not null;--> statement-breakpoint
-- SQLite refuses to rename a table that triggers of another table name.
DROP TRIGGER `orders_pet_renamed`;--> statement-breakpoint
DROP TRIGGER `orders_pet_deleted`;--> statement-breakpoint
CREATE TABLE `__new_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`pet_id` integer NOT NULL,
	`adopter_name` text,
	`adopter_email` text,
	`note` text,
	`status` text NOT NULL,
	`return_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "orders_status" CHECK("__new_orders"."status" in ('placed', 'approved', 'completed', 'cancelled', 'returned')),
	CONSTRAINT "orders_adopter" CHECK(("__new_orders"."adopter_name" is null) = ("__new_orders"."adopter_email" is null))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_orders`("id", "pet_id", "adopter_name", "adopter_email", "note", "status", "created_at", "updated_at") SELECT "id", "pet_id", "adopter_name", "adopter_email", "note", "status", "created_at", "updated_at" FROM `orders`;--> statement-breakpoint
DELETE FROM `sqlite_sequence` WHERE `name` = '__new_orders';--> statement-breakpoint
UPDATE `sqlite_sequence` SET `name` = '__new_orders' WHERE `name` = 'orders';--> statement-breakpoint
DROP TABLE `orders`;--> statement-breakpoint
ALTER TABLE `__new_orders` RENAME TO `orders`;--> statement-breakpoint
CREATE UNIQUE INDEX `orders_open` ON `orders` (`pet_id`) WHERE "orders"."status" in ('placed', 'approved');--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`status`);--> statement-breakpoint
CREATE INDEX `orders_by_pet` ON `orders` (`pet_id`);--> statement-breakpoint
CREATE INDEX `orders_by_email` ON `orders` (lower("adopter_email"));--> statement-breakpoint
CREATE TRIGGER `orders_added` AFTER INSERT ON `orders` BEGIN
	INSERT INTO `orders_words` (`rowid`, `words`) VALUES (new.`id`, iif((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ltrim(lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || coalesce((SELECT `pet_names`.`folded` FROM `pet_names` WHERE `pet_names`.`id` = new.`pet_id`), ''));
END;--> statement-breakpoint
CREATE TRIGGER `orders_adopter_changed` AFTER UPDATE OF `adopter_name`, `adopter_email` ON `orders` WHEN old.`adopter_name` IS NOT new.`adopter_name` OR old.`adopter_email` IS NOT new.`adopter_email` BEGIN
	UPDATE `orders_words` SET `words` = iif((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ltrim(lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || coalesce((SELECT `pet_names`.`folded` FROM `pet_names` WHERE `pet_names`.`id` = new.`pet_id`), '') WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `orders_deleted` AFTER DELETE ON `orders` BEGIN
	DELETE FROM `orders_words` WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `orders_name_before_add` BEFORE INSERT ON `orders` WHEN new.`pet_id` > (SELECT `indexed_to` FROM `pets_indexed`) BEGIN
	UPDATE `pets_indexed` SET `indexed_to` = max(`indexed_to`, (SELECT coalesce(max(`id`), 0) FROM `pets` WHERE `id` <= new.`pet_id`));
END;--> statement-breakpoint
CREATE TRIGGER `orders_name_before_change` BEFORE UPDATE OF `adopter_name`, `adopter_email` ON `orders` WHEN new.`pet_id` > (SELECT `indexed_to` FROM `pets_indexed`) BEGIN
	UPDATE `pets_indexed` SET `indexed_to` = max(`indexed_to`, (SELECT coalesce(max(`id`), 0) FROM `pets` WHERE `id` <= new.`pet_id`));
END;--> statement-breakpoint
CREATE TRIGGER `orders_pet_renamed` AFTER UPDATE OF `name` ON `pets` WHEN old.`name` <> new.`name` BEGIN
	UPDATE `orders_words` SET `words` = (SELECT iif((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ltrim(lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || iif(new.`name` NOT GLOB '*[^ -~]*', lower(new.`name`), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(new.`name`), ltrim(lower(new.`name`), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) FROM `orders` WHERE `orders`.`id` = `orders_words`.`rowid`) WHERE `rowid` IN (SELECT `id` FROM `orders` WHERE `pet_id` = old.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `orders_pet_deleted` AFTER DELETE ON `pets` BEGIN
	UPDATE `orders_words` SET `words` = (SELECT iif((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ltrim(lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) FROM `orders` WHERE `orders`.`id` = `orders_words`.`rowid`) WHERE `rowid` IN (SELECT `id` FROM `orders` WHERE `pet_id` = old.`id`);
END;--> statement-breakpoint
ALTER TABLE `pet_events` ADD `name` text;--> statement-breakpoint
ALTER TABLE `pet_events` ADD `category_id` integer;--> statement-breakpoint
ALTER TABLE `pet_events` ADD `status` text;--> statement-breakpoint
ALTER TABLE `pet_events` ADD `part` text;--> statement-breakpoint
ALTER TABLE `pets` ADD `updated_at` integer;--> statement-breakpoint
-- An event has the animal after the change.
DROP TRIGGER `pets_counted`;--> statement-breakpoint
CREATE TRIGGER `pets_counted` AFTER UPDATE OF `counted_to` ON `pets_indexed` BEGIN
	INSERT INTO `pet_events` (`kind`, `pet_id`, `name`, `category_id`, `status`)
	SELECT 'added', `id`, `name`, `category_id`, `status` FROM `pets` WHERE `id` > old.`counted_to` AND `id` <= new.`counted_to` ORDER BY `id`;
	INSERT INTO `pet_counts_by_category` (`category_id`, `available`, `pending`, `sold`, `none`)
	SELECT `category_id`, sum(`status` IS 'available'), sum(`status` IS 'pending'), sum(`status` IS 'sold'), sum(`status` IS NULL)
	FROM `pets` WHERE `id` > old.`counted_to` AND `id` <= new.`counted_to` GROUP BY +`category_id`
	ON CONFLICT (`category_id`) DO UPDATE SET `available` = `available` + excluded.`available`, `pending` = `pending` + excluded.`pending`, `sold` = `sold` + excluded.`sold`, `none` = `none` + excluded.`none`;
	INSERT INTO `pet_counts_by_day` (`day`, `available`, `pending`, `sold`, `none`)
	SELECT `created_at` / 86400000, sum(`status` IS 'available'), sum(`status` IS 'pending'), sum(`status` IS 'sold'), sum(`status` IS NULL)
	FROM `pets` WHERE `id` > old.`counted_to` AND `id` <= new.`counted_to` GROUP BY 1
	ON CONFLICT (`day`) DO UPDATE SET `available` = `available` + excluded.`available`, `pending` = `pending` + excluded.`pending`, `sold` = `sold` + excluded.`sold`, `none` = `none` + excluded.`none`;
END;--> statement-breakpoint
DROP TRIGGER `pets_changed`;--> statement-breakpoint
CREATE TRIGGER `pets_changed` AFTER UPDATE ON `pets` WHEN old.`name` <> new.`name` OR old.`category_id` <> new.`category_id` OR old.`status` IS NOT new.`status` BEGIN
	INSERT INTO `pet_events` (`kind`, `pet_id`, `name`, `category_id`, `status`) VALUES ('changed', new.`id`, new.`name`, new.`category_id`, new.`status`);
END;
