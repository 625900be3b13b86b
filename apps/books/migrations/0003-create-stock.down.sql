DROP TABLE stock;
