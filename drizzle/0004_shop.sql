CREATE TABLE `answers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key_id` integer NOT NULL,
	`idempotency_key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `answers_by_key` ON `answers` (`key_id`,`idempotency_key`);--> statement-breakpoint
CREATE INDEX `answers_of_key` ON `answers` (`key_id`);--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_folded_unique` ON `categories` (`folded`);--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`pet_id` integer NOT NULL,
	`adopter_name` text,
	`adopter_email` text,
	`note` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "orders_status" CHECK("orders"."status" in ('placed', 'approved', 'completed', 'cancelled')),
	CONSTRAINT "orders_adopter" CHECK(("orders"."adopter_name" is null) = ("orders"."adopter_email" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_open` ON `orders` (`pet_id`) WHERE "orders"."status" in ('placed', 'approved');--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`status`);--> statement-breakpoint
CREATE INDEX `orders_by_email` ON `orders` (lower("adopter_email"));--> statement-breakpoint
CREATE TABLE `pet_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`pet_id` integer NOT NULL,
	CONSTRAINT "pet_events_kind" CHECK("pet_events"."kind" in ('added', 'changed', 'deleted'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `pets_by_category` ON `pets` (`category_id`);--> statement-breakpoint
CREATE INDEX `pets_by_category_and_status` ON `pets` (`category_id`,`status`);--> statement-breakpoint
-- Words of the names, without their text: what is found is read from pets.
CREATE VIRTUAL TABLE `pets_words` USING fts5(name, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2');--> statement-breakpoint
INSERT INTO `pets_words` (`rowid`, `name`) SELECT `id`, `name` FROM `pets`;--> statement-breakpoint
CREATE TRIGGER `pets_added` AFTER INSERT ON `pets` BEGIN
	INSERT INTO `pets_words` (`rowid`, `name`) VALUES (new.`id`, new.`name`);
	INSERT INTO `pet_events` (`kind`, `pet_id`) VALUES ('added', new.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `pets_renamed` AFTER UPDATE OF `name` ON `pets` WHEN old.`name` <> new.`name` BEGIN
	UPDATE `pets_words` SET `name` = new.`name` WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `pets_changed` AFTER UPDATE ON `pets` WHEN old.`name` <> new.`name` OR old.`category_id` <> new.`category_id` OR old.`status` IS NOT new.`status` BEGIN
	INSERT INTO `pet_events` (`kind`, `pet_id`) VALUES ('changed', new.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `pets_deleted` AFTER DELETE ON `pets` BEGIN
	DELETE FROM `pets_words` WHERE `rowid` = old.`id`;
	INSERT INTO `pet_events` (`kind`, `pet_id`) VALUES ('deleted', old.`id`);
END;
