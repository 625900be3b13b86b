DROP TABLE demo_payments;
DROP TABLE stock;
